#include "search/serving_confirm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "serving/arrivals_from_demand.h"
#include "serving/simulator/tabulate.h"
#include "serving/simulator/trace_arrivals.h"

namespace loadfactor::search {
namespace {

using serving::Batching;
using serving::EngineEra;

constexpr double kWeek = 7 * 86400;
constexpr int kMostSequences = 2048;
constexpr int kMostTokens = 32768;
constexpr int kLargestBlock = 128;

// How the engine's generation schedules.
serving::SchedulerRules scheduler_of(const serving::ReplicaPlan& plan) {
  serving::SchedulerRules rules;
  rules.max_seqs = static_cast<int>(std::clamp<std::int64_t>(plan.max_seqs, 1, kMostSequences));
  rules.token_budget =
      static_cast<int>(std::clamp<std::int64_t>(plan.chunk, rules.max_seqs, kMostTokens));
  const int block = std::clamp(plan.choice.engine->memory.block, 1, kLargestBlock);
  rules.block_tokens = static_cast<int>(std::bit_floor(static_cast<unsigned>(block)));
  rules.kv_blocks = plan.kv_tokens / rules.block_tokens;
  switch (plan.choice.traits->era) {
    case EngineEra::kVllmV0:
      rules.batching = Batching::kPrefillFirst;
      rules.watermark_blocks = rules.kv_blocks / 100;
      break;
    case EngineEra::kSglang:
      rules.batching = Batching::kPrefillFirst;
      rules.victims = serving::VictimOrder::kFewestGenerated;
      rules.reserve_permille = static_cast<int>(1000 * plan.choice.traits->reserve);
      break;
    case EngineEra::kTensorRtStatic:
    case EngineEra::kTensorRtCpp:
    case EngineEra::kTensorRtPython:
    case EngineEra::kPlain:
      rules.preemption = serving::Preemption::kReserve;
      break;
    default:
      break;
  }
  return rules;
}

demand::TrafficModel flat(const demand::TrafficModel& model, double rate) {
  demand::TrafficModel still = model;
  still.day = still.half_day = demand::Wave();
  still.weekend = 1;
  still.day_sigma = 0;
  still.slow = demand::LogNoise();
  still.on_off = demand::OnOff();
  still.sessions = demand::Sessions();
  return demand::scaled_to(still, Hertz::from_base(rate));
}

}  // namespace

FleetRun run_fleet(const SizingProblem& problem, const SizedDeployment& d,
                   const demand::TrafficModel& model, std::uint64_t seed, double seconds) {
  const serving::SchedulerRules scheduler = scheduler_of(d.plan);
  const auto table = serving::tabulate_steps(*d.plan.step, *problem.constants, scheduler.max_seqs,
                                             scheduler.token_budget);
  serving::GroupRules group;
  group.scheduler = scheduler;
  group.steps = &table;
  group.replicas = (d.replicas - problem.spares) * d.plan.choice.layout.dp;
  group.gpus_per_replica = d.plan.choice.layout.tp * d.plan.choice.layout.pp;
  const serving::ClusterRules rules{.groups = {group}};
  serving::SimulationOptions options;
  const auto ticks = [](double time) {
    return static_cast<serving::Ticks>(std::llround(time * 1e12));
  };
  const double front =
      problem.constants->of(d.plan.choice.traits->era, serving::EngineConstant::kFront);
  if (problem.ask.ttft > 0)
    options.limits.first_token = ticks(std::max(0.0, problem.ask.ttft - front));
  if (problem.ask.tpot > 0) options.limits.per_token = ticks(problem.ask.tpot);
  FleetRun run;
  if (!serving::find_fault(rules).empty()) return run;
  std::unique_ptr<sim::ArrivalStream> stream;
  if (problem.trace != nullptr && seconds <= 0)
    stream = serving::stream_of(serving::arrivals_of(*problem.trace, problem.most_requests).batch);
  else
    stream = std::make_unique<serving::GeneratedArrivals>(model, seed, Seconds::from_base(seconds));
  const auto result = serving::simulate(rules, *stream, options);
  run.requests = result.requests();
  if (run.requests == 0) return run;
  run.ttft = result.ttft.quantile(problem.ask.ttft_quantile) * 1e-12 + front;
  run.tpot = result.tpot.quantile(problem.ask.tpot_quantile) * 1e-12;
  run.within = static_cast<double>(result.total.good_requests) / static_cast<double>(run.requests);
  const bool first = problem.ask.ttft <= 0 || run.ttft <= problem.ask.ttft;
  const bool each = problem.ask.tpot <= 0 || run.tpot <= problem.ask.tpot;
  run.kept = first && each && result.turned_away == 0;
  return run;
}

void calibrate_rate(const SizingProblem& problem, const std::vector<std::vector<double>>& weeks,
                    SizedDeployment& d, SizingAnswer& answer) {
  constexpr int kRounds = 7;
  constexpr double kRequests = 20'000;
  SizedDeployment few = d;
  few.replicas = std::clamp(d.replicas - problem.spares, 1, 4) + problem.spares;
  const int serving_now = few.replicas - problem.spares;
  const double saturated = d.figures.capacity.saturated.base();
  double low = 0;
  double high = saturated;
  double rate = d.rate;
  for (int round = 0; round < kRounds; ++round) {
    const double offered = rate * serving_now;
    const FleetRun run =
        run_fleet(problem, few, flat(problem.model, offered),
                  problem.seed + 500 + static_cast<std::uint64_t>(round), kRequests / offered);
    answer.simulated_requests += run.requests;
    (run.kept ? low : high) = rate;
    // Away from the closed form by steps first, then by halving.
    constexpr double kStep = 1.15;
    if (low == 0)
      rate = std::max(rate / kStep / kStep, 1e-3 * saturated);
    else if (high >= saturated)
      rate = std::min(rate * kStep, 0.999 * saturated);
    else
      rate = 0.5 * (low + high);
    if (low > 0 && high < saturated && high / low < 1.02) break;
  }
  d.rate = low;
  d.is_calibrated = low > 0;
  if (low > 0) size_by_rate(problem, weeks, d);
}

void confirm_week(const SizingProblem& problem, const std::vector<std::vector<double>>& weeks,
                  SizedDeployment& d, SizingAnswer& answer) {
  constexpr int kTries = 3;
  constexpr double kLess = 0.97;
  const double expected = demand::expected_rate(problem.model).base() * kWeek;
  const double length = problem.trace != nullptr
                            ? 0
                            : kWeek * std::min(1.0, static_cast<double>(problem.most_requests) /
                                                        std::max(1.0, expected));
  constexpr int kMostSimulated = 20'000;  // Replicas; beyond, the closed form stands alone.
  if (d.replicas * d.plan.choice.layout.dp > kMostSimulated) return;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const FleetRun run = run_fleet(problem, d, problem.model, problem.seed + 9001, length);
    answer.simulated_requests += run.requests;
    d.ttft = run.ttft;
    d.tpot = run.tpot;
    d.within_slo = run.within;
    d.is_confirmed = run.kept;
    if (run.kept || run.requests == 0) return;
    const int before = d.replicas;
    for (int step = 0; step < 8 && d.replicas == before; ++step) {
      d.rate *= kLess;
      size_by_rate(problem, weeks, d);
    }
  }
}

}  // namespace loadfactor::search
