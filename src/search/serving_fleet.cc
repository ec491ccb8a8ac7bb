#include "search/serving_fleet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "serving/arrivals_from_demand.h"
#include "serving/cache_block.h"
#include "serving/simulator/engine_rules.h"
#include "serving/simulator/tabulate.h"
#include "serving/simulator/trace_arrivals.h"

namespace loadfactor::search {
namespace {

constexpr int kMostSequences = 2048;
constexpr int kMostTokens = 32768;

serving::Ticks ticks(double seconds) {
  return static_cast<serving::Ticks>(std::llround(seconds * 1e12));
}

// Whether the trace says which prompts begin alike, in blocks that those of the cache divide.
bool has_prefixes(const SizingProblem& problem, int block_tokens) {
  return problem.trace != nullptr && !problem.trace->prefixes.empty() &&
         problem.trace->prefixes.block_tokens % block_tokens == 0;
}

// How the engine's generation schedules.
serving::SchedulerRules scheduler_of(const SizingProblem& problem,
                                     const serving::ReplicaPlan& plan) {
  serving::SchedulerRules rules;
  rules.max_seqs = static_cast<int>(std::clamp<std::int64_t>(plan.max_seqs, 1, kMostSequences));
  rules.token_budget =
      static_cast<int>(std::clamp<std::int64_t>(plan.chunk, rules.max_seqs, kMostTokens));
  rules.block_tokens = serving::cache_block(*plan.choice.engine);
  const double each = problem.ask.input + plan.choice.traits->reserve * problem.ask.output;
  rules.kv_blocks = static_cast<std::int64_t>(plan.room(each)) / rules.block_tokens;
  rules.has_prefix_cache = has_prefixes(problem, rules.block_tokens);
  serving::set_engine_rules(*plan.choice.traits, rules);
  return rules;
}

sim::StepTable table_of(const SizingProblem& problem, const serving::ReplicaPlan& plan,
                        const serving::SchedulerRules& scheduler) {
  return serving::tabulate_steps(*plan.step, problem.constants_of(plan), scheduler.max_seqs,
                                 scheduler.token_budget);
}

serving::GroupRules group_of(const SizingProblem& problem, const serving::ReplicaPlan& plan,
                             const sim::StepTable& table) {
  serving::GroupRules group;
  group.scheduler = scheduler_of(problem, plan);
  group.steps = &table;
  group.gpus_per_replica = plan.choice.layout.tp * plan.choice.layout.pp;
  return group;
}

// Requests, and where they are known how many.
struct Traffic {
  std::unique_ptr<sim::ArrivalStream> stream;
  std::int64_t requests = 0;
  std::int64_t with_next_tokens = 0;  // Requests that have a time between tokens.
};
Traffic traffic_of(const SizingProblem& problem, const FleetQuestion& ask, int block_tokens) {
  if (ask.tape != nullptr)
    return {ask.tape->play(), ask.tape->size(), ask.tape->with_next_tokens()};
  if (problem.trace != nullptr && ask.seconds <= 0) {
    auto batch = serving::arrivals_of(*problem.trace, problem.most_requests).batch;
    if (has_prefixes(problem, block_tokens)) {
      serving::cut_prefixes(batch, problem.trace->prefixes.block_tokens, block_tokens);
    } else {
      batch.prefix_blocks.clear();
      batch.prefix_end.clear();
    }
    Traffic traffic;
    traffic.requests = std::ssize(batch.time);
    traffic.with_next_tokens = std::count_if(batch.tokens_out.begin(), batch.tokens_out.end(),
                                             [](std::int32_t tokens) { return tokens > 1; });
    traffic.stream = serving::stream_of(std::move(batch));
    return traffic;
  }
  demand::DrawStore* store = ask.is_one_of_many ? &problem.shapes->draws() : nullptr;
  return {serving::arrivals_of(*ask.model, ask.seed, Seconds::from_base(ask.seconds), store)};
}

// So many values may lie beyond the nearest rank of a quantile.
std::int64_t most_beyond(double quantile, std::int64_t count) {
  return count -
         std::max<std::int64_t>(1, std::llround(std::ceil(quantile * static_cast<double>(count))));
}

// As `serve --simulate` finds what a replica does that always has a queue: so many requests, of a
// record from all over it unless prompts share beginnings with those near them.
constexpr std::size_t kSaturating = 3000;
sim::ArrivalBatch spread_sample(const SizingProblem& problem, const FleetQuestion& ask,
                                int block_tokens) {
  const Traffic traffic = traffic_of(problem, ask, block_tokens);
  sim::ArrivalBatch sample;
  traffic.stream->pull(sample, kSaturating);
  const std::size_t stride = static_cast<std::size_t>(traffic.requests) / kSaturating;
  if (stride < 2 || !sample.prefix_end.empty()) return sample;
  sim::ArrivalBatch all;
  traffic_of(problem, ask, block_tokens)
      .stream->pull(all, static_cast<std::size_t>(traffic.requests));
  sample.clear();
  for (std::size_t i = 0; i < all.size() && sample.size() < kSaturating; i += stride) {
    sample.time.push_back(0);
    sample.tokens_in.push_back(all.tokens_in[i]);
    sample.tokens_out.push_back(all.tokens_out[i]);
  }
  return sample;
}

double share_above(const sim::LatencyHistogram& times, sim::Ticks bound) {
  if (bound == sim::kNever || times.count() == 0) return 0;
  return 1 - static_cast<double>(times.count_up_to(bound)) / static_cast<double>(times.count());
}

}  // namespace

SimulatedFleet::SimulatedFleet(const SizingProblem& problem, const SizedDeployment& d)
    : problem_(problem),
      front_(Seconds::from_base(problem.constants_of(d.plan).of(d.plan.choice.traits->index,
                                                                serving::EngineConstant::kFront))),
      answers_table_(table_of(problem, d.plan, scheduler_of(problem, d.plan))),
      answers_(group_of(problem, d.plan, answers_table_)) {
  answers_.replicas = d.plan.choice.layout.dp;
  if (!d.prompts) return;
  const serving::ReplicaPlan& prompts = d.prompts->plan;
  prompts_table_ = table_of(problem, prompts, scheduler_of(problem, prompts));
  prompts_ = group_of(problem, prompts, *prompts_table_);
  prompts_->replicas = prompts.choice.layout.dp;
  prompts_->decode_group = 1;
  const double bytes =
      prompts.moved_per_token().base() * static_cast<double>(prompts_->scheduler.block_tokens);
  transfer_.per_block_replica_link =
      ticks(bytes * 1e-9 * problem.constants_of(prompts)[serving::Constant::kTransfer]);
}

serving::ClusterRules SimulatedFleet::rules_of(const FleetQuestion& ask) const {
  serving::ClusterRules rules;
  serving::GroupRules answers = answers_;
  answers.steps = &answers_table_;
  answers.replicas = answers_.replicas * ask.replicas;
  answers.failures = ask.outages;
  if (ask.scaling) answers.scaling = *ask.scaling;
  if (prompts_) {
    serving::GroupRules prompts = *prompts_;
    prompts.steps = &*prompts_table_;
    prompts.replicas = prompts_->replicas * ask.prompt_replicas;
    rules.groups.push_back(prompts);
    rules.transfer = transfer_;
  }
  rules.groups.push_back(answers);
  return rules;
}

bool SimulatedFleet::is_quick() const {
  FleetQuestion one;
  one.prompt_replicas = 1;
  return keeps_lockstep(rules_of(one));
}

Seconds SimulatedFleet::ttft_of(double ticks_taken) const {
  return tpot_of(ticks_taken) + front_;
}
Seconds SimulatedFleet::tpot_of(double ticks_taken) {
  return Seconds::from_base(ticks_taken * 1e-12);
}

serving::MissLimits SimulatedFleet::certain_miss(std::int64_t requests,
                                                 std::int64_t with_next_tokens) const {
  const serving::ServicePromise& slo = problem_.ask;
  serving::MissLimits limits;
  if (slo.ttft > Seconds()) {
    limits.first_token = sim::LatencyHistogram::last_kept(
        [&](double middle) { return ttft_of(middle) <= slo.ttft; });
    limits.most_first = most_beyond(slo.ttft_quantile, requests);
  }
  if (slo.tpot > Seconds() && with_next_tokens > 0) {
    limits.per_token = sim::LatencyHistogram::last_kept(
        [&](double middle) { return tpot_of(middle) <= slo.tpot; });
    limits.most_each = most_beyond(slo.tpot_quantile, with_next_tokens);
  }
  return limits;
}

FleetRun SimulatedFleet::run(const FleetQuestion& ask) const {
  const serving::ServicePromise& slo = problem_.ask;
  serving::SimulationOptions options;
  if (slo.ttft > Seconds())
    options.limits.first_token = ticks(std::max(Seconds(), slo.ttft - front_).base());
  if (slo.tpot > Seconds()) options.limits.per_token = ticks(slo.tpot.base());
  FleetRun run;
  const serving::ClusterRules rules = rules_of(ask);
  if (!serving::find_fault(rules).empty()) return run;
  const Traffic traffic = traffic_of(problem_, ask, answers_.scheduler.block_tokens);
  if (ask.is_verdict_enough && traffic.requests > 0)
    options.stops_beyond = certain_miss(traffic.requests, traffic.with_next_tokens);
  options.keeps_all = false;
  options.stop = problem_.stop;
  options.progress = ask.progress;
  const auto result = serving::simulate(rules, *traffic.stream, options);
  run.requests = result.requests();
  if (run.requests == 0) return run;
  read_off(result.ttft, result.tpot, run);
  run.first_missed = share_above(result.ttft, options.limits.first_token);
  run.each_missed = share_above(result.tpot, options.limits.per_token);
  run.within = static_cast<double>(result.total.good_requests) / static_cast<double>(run.requests);
  const double end = static_cast<double>(result.end) * 1e-12;
  if (end > 0) {
    run.mean_replicas = result.paid_replica_seconds / end / answers_.replicas;
    if (ask.scaling)
      for (const double time : result.groups.front().seconds_with) run.on.push_back(time / end);
    run.served_rate = Hertz::from_base(static_cast<double>(result.total.requests) / end);
  }
  run.is_decided = result.is_decided;
  if (run.is_decided) {  // Quantiles of a part say nothing.
    run.first_kept = result.first_missed <= options.stops_beyond->most_first;
    run.each_kept = result.each_missed <= options.stops_beyond->most_each;
  }
  // What is not over after 100 days is late by any bound.
  if (slo.ttft > Seconds() && !run.is_decided &&
      result.unfinished > most_beyond(slo.ttft_quantile, run.requests + result.unfinished))
    run.first_kept = false;
  run.kept = run.first_kept && run.each_kept && result.turned_away == 0;
  return run;
}

SpanCounts SimulatedFleet::count(const FleetQuestion& ask, sim::ArrivalStream& stream,
                                 const serving::CountedTime& counted) const {
  const serving::ServicePromise& slo = problem_.ask;
  serving::SimulationOptions options;
  if (slo.ttft > Seconds())
    options.limits.first_token = ticks(std::max(Seconds(), slo.ttft - front_).base());
  if (slo.tpot > Seconds()) options.limits.per_token = ticks(slo.tpot.base());
  constexpr std::int64_t kAny = 1;
  serving::MissLimits bounds = certain_miss(kAny, kAny);
  bounds.most_first = bounds.most_each = std::numeric_limits<std::int64_t>::max();
  options.stops_beyond = bounds;
  options.keeps_all = false;
  options.stop = problem_.stop;
  auto result = serving::simulate_part(rules_of(ask), stream, options, counted);
  return {.requests = result.requests(),
          .with_next_tokens = result.tpot.count(),
          .first_missed = result.first_missed,
          .each_missed = result.each_missed,
          .good = result.total.good_requests,
          .lost = result.turned_away,
          .on = std::move(result.groups.front().seconds_with),
          .ttft = std::move(result.ttft),
          .tpot = std::move(result.tpot)};
}

void SimulatedFleet::read_off(const sim::LatencyHistogram& ttft, const sim::LatencyHistogram& tpot,
                              FleetRun& run) const {
  const serving::ServicePromise& slo = problem_.ask;
  run.ttft = ttft_of(ttft.quantile(slo.ttft_quantile));
  run.tpot = tpot_of(tpot.quantile(slo.tpot_quantile));
  run.first_kept = slo.ttft <= Seconds() || run.ttft <= slo.ttft;
  run.each_kept = slo.tpot <= Seconds() || run.tpot <= slo.tpot;
}

double SimulatedFleet::saturated_rate(const FleetQuestion& ask) const {
  sim::ArrivalBatch batch = spread_sample(problem_, ask, answers_.scheduler.block_tokens);
  std::fill(batch.time.begin(), batch.time.end(), 0);
  const auto all = serving::stream_of(std::move(batch));
  const auto result = serving::simulate(rules_of(ask), *all, {.stop = problem_.stop});
  const double end = static_cast<double>(result.end) * 1e-12;
  return end > 0 ? static_cast<double>(result.total.requests) / end : 0;
}

std::vector<serving::Failure> maintenance_of(const std::vector<double>& rates, int replicas,
                                             double seconds) {
  constexpr double kDay = 86400;
  constexpr std::size_t kPerDay = 144;
  constexpr double kQuietSeconds = 6 * 3600;  // Part of each day, from its quietest window on.
  if (seconds <= 0 || rates.size() < kPerDay) return {};
  const auto days = std::min<std::size_t>(7, rates.size() / kPerDay);
  std::vector<double> starts;
  const int each_night = std::max(1, static_cast<int>(kQuietSeconds / seconds));
  for (std::size_t day = 0; day < days; ++day) {
    const auto first = rates.begin() + static_cast<std::ptrdiff_t>(day * kPerDay);
    const auto quietest = std::min_element(first, first + kPerDay) - first;
    const double at = static_cast<double>(day) * kDay + 600 * static_cast<double>(quietest);
    for (int i = 0; i < each_night; ++i) starts.push_back(at + i * seconds);
  }
  std::vector<serving::Failure> outages;
  for (int i = 0; i < replicas; ++i)
    outages.push_back(
        {ticks(starts[static_cast<std::size_t>(i) % starts.size()]), i, ticks(seconds)});
  std::sort(outages.begin(), outages.end(), [](const auto& a, const auto& b) {
    return std::pair(a.time, a.replica) < std::pair(b.time, b.replica);
  });
  return outages;
}

}  // namespace loadfactor::search
