#include "engine/serve/simulate_answer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "engine/serve/serve_figures.h"
#include "engine/serve/simulate_estimate.h"
#include "engine/serve/simulate_load.h"
#include "resolve/model/node_power.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/served_layout.h"

namespace loadfactor::engine {
namespace {

using serving::Metric;
using serving::SimulationResult;

WhyPlain why_plain(serving::LockstepFault fault) {
  using serving::LockstepFault;
  switch (fault) {
    case LockstepFault::kNone:
      break;
    case LockstepFault::kSplitPools:
      return WhyPlain::kSplitPools;
    case LockstepFault::kPromptsAlone:
      return WhyPlain::kPromptsAlone;
    case LockstepFault::kSwapping:
      return WhyPlain::kSwapping;
    case LockstepFault::kVictimsByTokens:
      return WhyPlain::kVictimsByTokens;
    case LockstepFault::kPriorities:
      return WhyPlain::kPriorities;
    case LockstepFault::kForeseenAnswers:
      return WhyPlain::kForeseenAnswers;
    case LockstepFault::kTimeouts:
      return WhyPlain::kTimeouts;
    case LockstepFault::kClientsLeave:
      return WhyPlain::kClientsLeave;
  }
  return WhyPlain::kNothing;
}

LatencyFigures figures_of(const sim::LatencyHistogram& histogram, Metric metric, sim::Ticks front,
                          const SimulateSetup& setup) {
  const auto at = [&](double ticks) {
    const double seconds = (ticks + static_cast<double>(front)) / static_cast<double>(sim::kSecond);
    return with_interval(Seconds::from_base(seconds), metric, setup);
  };
  return {at(histogram.quantile(0.50)), at(histogram.quantile(0.90)), at(histogram.quantile(0.95)),
          at(histogram.quantile(0.99)), at(histogram.mean()),         histogram.count()};
}

// KV tokens of one replica.
EstimateOf<Tokens> capacity_of(const SimulateSetup& setup, const SimulatedPool& pool,
                               bool is_given) {
  if (!setup.model->causal)  // Nothing is kept of a text.
    return EstimateOf<Tokens>::exact(Tokens(), Basis::kModelled, setup.engine->name);
  const auto tokens = Tokens::from_base(static_cast<double>(pool.kv_tokens * pool.ranks()));
  if (is_given) return EstimateOf<Tokens>::exact(tokens, Basis::kMeasured, "--kv-tokens");
  const auto at = [&](serving::End end) {
    const auto count = serving::count_kv_tokens(pool.plan.memory_setup, pool.plan.memory, end);
    return Tokens::from_base(static_cast<double>(count));
  };
  return {tokens, at(serving::End::kLow), at(serving::End::kHigh), Basis::kModelled,
          setup.engine->name};
}

PoolShape shape_of(const SimulateSetup& setup, std::size_t index, bool has_kv_tokens) {
  const SimulatedPool& pool = *setup.pools[index];
  return {.name = !setup.is_split() ? ""
                  : index == 0      ? "prefill"
                                    : "decode",
          .accelerator = pool.plan.choice.chip->name,
          .accelerator_title = pool.plan.choice.chip->title,
          .layout = served_layout(pool.layout(), pool.replicas),
          .max_seqs = pool.scheduler.max_seqs,
          .chunk = pool.scheduler.token_budget,
          .kv_tokens = capacity_of(setup, pool, has_kv_tokens)};
}

// One name, or both where the pools have different chips.
std::string join(const std::vector<PoolShape>& pools, std::string PoolShape::*name) {
  std::string text = pools.front().*name;
  if (pools.back().*name != text) text += " + " + pools.back().*name;
  return text;
}

void add_names(const SimulateSetup& setup, const SimulateInputs& request, SimulateAnswer& answer) {
  const SimulatedPool& pool = *setup.pools.back();
  for (std::size_t i = 0; i < setup.pools.size(); ++i)
    answer.pools.push_back(shape_of(setup, i, request.kv_tokens > 0));
  answer.scenario = setup.scenario.name.value;
  answer.model = setup.model->name;
  answer.title = setup.model->title;
  answer.accelerator = join(answer.pools, &PoolShape::accelerator);
  answer.accelerator_title = join(answer.pools, &PoolShape::accelerator_title);
  answer.engine_title = engine_words(*setup.engine, setup.ask());
  answer.precision = pool.plan.choice.precision;
  answer.kv_format = std::string(catalog::name(pool.plan.choice.formats.kernels.kv));
  const auto& written = setup.operations().router;
  answer.router = !request.router.empty() ? request.router
                  : written               ? written->value
                                          : "least-loaded";
  answer.layout = answer.pools.back().layout;
  answer.is_split = setup.is_split();
  answer.max_seqs = pool.scheduler.max_seqs;
  answer.chunk = pool.scheduler.token_budget;
  answer.kv_tokens = answer.pools.back().kv_tokens;
  answer.scales = setup.scales();
  answer.demand_rate = setup.rate;
  answer.dropped_rows = setup.dropped_rows;
}

void add_replicas(const SimulateSetup& setup, SimulateAnswer& answer) {
  answer.layout.gpus = 0;
  for (std::size_t p = 0; p < setup.pools.size(); ++p) {
    const SimulatedPool& pool = *setup.pools[p];
    answer.layout.gpus += pool.replicas * pool.layout().gpus();
    const serving::GroupRules& group = setup.rules.groups[p];
    const bool scales = group.scaling.scaling != serving::Scaling::kFixed;
    const int most = std::max(group.replicas, scales ? group.scaling.max_replicas : 0);
    const char* word = setup.pools.size() == 1 ? "replica" : p == 0 ? "prefill" : "decode";
    for (int i = 0; i < most; ++i) {
      std::string name = fmt::format("{} {}", word, i / pool.ranks() + 1);
      if (pool.ranks() > 1) name += fmt::format(" rank {}", i % pool.ranks() + 1);
      answer.replica_names.push_back(std::move(name));
    }
  }
}

// Arithmetic and traffic over what the GPUs could have done in the whole time.
void add_use(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const SimulatedPool& pool = *setup.pools.back();
  const auto& work = result.work;
  const double tokens = static_cast<double>(work.prefill_tokens + work.decode_tokens);
  double most_work = 0, most_traffic = 0;
  for (std::size_t i = 0; i < setup.pools.size(); ++i) {
    const auto& chip = *setup.pools[i]->plan.choice.chip;
    const auto& computed = setup.pools[i]->plan.step->deployment();
    const auto peak = computed.kernels->rates().rate(computed.precision.dense.math);
    most_work += peak.base() * result.groups[i].paid_gpu_seconds;
    most_traffic += chip.memory.bandwidth.base() * result.groups[i].paid_gpu_seconds;
  }
  if (most_work > 0)
    answer.mfu = with_interval(model_work(*pool.plan.step, static_cast<double>(work.prefill_tokens),
                                          static_cast<double>(work.decode_tokens))
                                       .base() /
                                   most_work,
                               Metric::kThroughput, setup);
  const double steps = static_cast<double>(std::max<std::int64_t>(1, work.steps));
  const double ranks = pool.layout().tp * pool.layout().pp;
  const double kv = pool.plan.memory.stages.front().profile.per_token().base();
  const double part = tokens / steps / pool.layout().pp;
  const double gained = pool.plan.step->deployment().speculation.gained();
  const double bytes = ranks / gained *
                       (pool.plan.step->weight_bytes_read(part).base() * steps +
                        kv * static_cast<double>(work.context_tokens));
  if (most_traffic > 0)
    answer.mbu = with_interval(bytes / most_traffic, Metric::kThroughput, setup);
}

// What steps draw and idle power between them, pool by pool.
void add_energy(const SimulateSetup& setup, const SimulationResult& result,
                SimulateAnswer& answer) {
  double most = 0, least = 0, value = 0;
  Seconds in_steps;
  answer.paid_replica_time = {};
  for (std::size_t i = 0; i < setup.pools.size(); ++i) {
    const serving::GroupWork& group = result.groups[i];
    const double paid = group.paid_replica_seconds;
    const double busy = paid > 0 ? group.busy.base() / paid : 0;
    in_steps += group.busy;
    const auto drawn = drawn_power(*setup.pools[i]->plan.choice.chip, busy);
    answer.pools[i].busy = busy;
    answer.paid_replica_time += Seconds::from_base(paid / setup.pools[i]->ranks());
    most += group.paid_gpu_seconds * drawn.high().base();
    least += group.paid_gpu_seconds * drawn.low().base();
    value += group.paid_gpu_seconds * drawn.value().base();
  }
  const double paid = result.paid_replica_seconds;
  answer.busy = paid > 0 ? in_steps.base() / paid : 0;
  answer.energy = {Joules::from_base(value), Joules::from_base(least), Joules::from_base(most),
                   Basis::kAssumed, "rated-power"};
  answer.paid_gpu_time = Seconds::from_base(result.paid_gpu_seconds);
}

// Replicas and GPUs paid for on average and at most.
void add_means(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const double seconds = answer.duration.base();
  answer.mean_gpus = answer.layout.gpus;
  answer.mean_replicas = 0;
  int most = 0;
  for (std::size_t i = 0; i < setup.pools.size(); ++i) {
    const SimulatedPool& pool = *setup.pools[i];
    const double paid = result.groups[i].paid_replica_seconds / pool.ranks();
    answer.mean_replicas += seconds > 0 ? paid / seconds : pool.replicas;
    most += (result.groups[i].most_replicas + pool.ranks() - 1) / pool.ranks();
  }
  answer.most_replicas = most;
  if (seconds > 0) answer.mean_gpus = result.paid_gpu_seconds / seconds;
}

// Twelve bars from the fastest to the slowest thousandth, equally wide in the logarithm.
std::vector<HistogramBar> bars_of(const sim::LatencyHistogram& histogram, sim::Ticks front) {
  constexpr int kBars = 12;
  std::vector<HistogramBar> bars;
  if (histogram.count() == 0) return bars;
  const double low = std::max(1.0, histogram.quantile(0.001));
  const double high = histogram.quantile(0.999);
  if (high < low * 1.01)  // All alike.
    return {{sim::seconds_of(static_cast<sim::Ticks>(high) + front), 1.0}};
  std::int64_t before = 0;
  for (int i = 1; i <= kBars; ++i) {
    const double edge = low * std::pow(high / low, static_cast<double>(i) / kBars);
    const std::int64_t upto =
        i == kBars ? histogram.count() : histogram.count_up_to(static_cast<sim::Ticks>(edge));
    bars.push_back({sim::seconds_of(static_cast<sim::Ticks>(edge) + front),
                    static_cast<double>(upto - before) / static_cast<double>(histogram.count())});
    before = upto;
  }
  return bars;
}

}  // namespace

void describe_counts(const SimulationResult& result, SimulateAnswer& answer) {
  answer.engine = result.engine == serving::SimulatorKind::kSkipAhead ? "skip_ahead" : "plain";
  answer.requests = result.requests();
  answer.served = result.total.requests;
  answer.turned_away = result.turned_away;
  answer.cancelled = result.cancelled;
  answer.steps = result.work.steps;
  answer.events = result.work.events;
  answer.preemptions = result.work.preemptions;
  answer.most_live = result.most_live;
  answer.duration = sim::seconds_of(result.end);
}

void describe_latencies(const SimulateSetup& setup, const SimulationResult& result,
                        SimulateAnswer& answer) {
  answer.ttft = figures_of(result.ttft, Metric::kFirstToken, setup.front, setup);
  answer.tpot = figures_of(result.tpot, Metric::kTimePerToken, 0, setup);
  answer.itl = figures_of(result.itl, Metric::kTimePerToken, 0, setup);
  answer.e2e = figures_of(result.e2e, Metric::kLatency, setup.front, setup);
  if (result.urgent_ttft)
    answer.urgent_ttft = figures_of(*result.urgent_ttft, Metric::kFirstToken, setup.front, setup);
  if (result.other_ttft)
    answer.other_ttft = figures_of(*result.other_ttft, Metric::kFirstToken, setup.front, setup);
  answer.histograms = {bars_of(result.ttft, setup.front), bars_of(result.tpot, 0),
                       bars_of(result.e2e, setup.front)};
}

void judge_slo(const SimulateSetup& setup, const SimulationResult& result, SimulateAnswer& answer) {
  const auto reached = reach_slo(setup, result, Lost::kCounts);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto& bound = setup.ask().slo->bounds[i];
    const bool is_first = bound.metric == config::SloMetric::kTimeToFirstToken;
    const bool is_whole = bound.metric == config::SloMetric::kWholeRequest;
    const Metric metric = is_first   ? Metric::kFirstToken
                          : is_whole ? Metric::kLatency
                                     : Metric::kTimePerToken;
    std::optional<EstimateOf<Seconds>> time;
    if (reached[i].time) time = with_interval(*reached[i].time, metric, setup);
    answer.slo.push_back({.name = fmt::format("{}_p{}",
                                              is_first   ? "ttft"
                                              : is_whole ? "e2e"
                                                         : "tpot",
                                              std::lround(100 * bound.quantile)),
                          .bound = bound.most.value,
                          .reached = time,
                          .met = reached[i].met});
  }
}

void describe_rates(const SimulateSetup& setup, const SimulationResult& result,
                    SimulateAnswer& answer) {
  const double seconds = std::max(1e-12, answer.duration.base());
  const auto rate = [&](std::int64_t count) { return static_cast<double>(count) / seconds; };
  answer.request_rate =
      with_interval(Hertz::from_base(rate(result.total.requests)), Metric::kThroughput, setup);
  const auto tokens = [&](std::int64_t count) {
    const auto all =
        with_interval(TokensPerSecond::from_base(rate(count)), Metric::kThroughput, setup);
    return TokenRates{all, all / std::max(1e-9, answer.mean_replicas),
                      all / std::max(1e-9, answer.mean_gpus)};
  };
  const std::int64_t in = result.total.tokens_in;
  const std::int64_t out = setup.model->generates() ? result.total.tokens_out : 0;
  answer.rate_in = tokens(in);
  answer.rate_out = tokens(out);
  answer.rate_total = tokens(in + out);
  const std::int64_t counted = setup.model->generates() ? out : in;
  answer.energy_per_token =
      answer.energy * (1 / static_cast<double>(std::max<std::int64_t>(1, counted)));
  const std::int64_t prompts = result.work.prefill_tokens + result.work.cache_hit_tokens;
  if (prompts > 0)
    answer.cache_hit_share =
        static_cast<double>(result.work.cache_hit_tokens) / static_cast<double>(prompts);
}

SimulateAnswer describe_simulation(const SimulateSetup& setup, const SimulateInputs& request,
                                   const SimulationResult& result) {
  SimulateAnswer answer;
  add_names(setup, request, answer);
  add_replicas(setup, answer);
  describe_counts(result, answer);
  if (request.plain) {
    answer.why_plain = WhyPlain::kAsked;
  } else if (result.engine == serving::SimulatorKind::kPlain) {
    answer.why_plain = why_plain(why_not_lockstep(setup.rules));
  }
  describe_latencies(setup, result, answer);
  judge_slo(setup, result, answer);
  if (answer.requests > 0)
    answer.goodput =
        static_cast<double>(result.total.good_requests) / static_cast<double>(answer.requests);
  add_use(setup, result, answer);
  add_energy(setup, result, answer);
  add_means(setup, result, answer);
  describe_rates(setup, result, answer);
  add_points(setup, result, answer);
  return answer;
}

}  // namespace loadfactor::engine
