// What a simulation looked like over time, how full it was, and what bound it.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/simulate_answer.h"
#include "engine/simulate_estimate.h"
#include "engine/simulate_load.h"

namespace loadfactor::engine {
namespace {

using serving::Metric;
using serving::SimulationResult;

std::string find_binding(const SimulateAnswer& answer) {
  double kv = 0;
  std::int64_t running = 0;
  for (const auto& point : answer.series) {
    kv = std::max(kv, point.kv_share);
    running = std::max(running, point.running);
  }
  if (answer.turned_away > 0) return "the queue or the context: requests are turned away";
  if (answer.preemptions > answer.requests / 100)
    return "KV cache: requests are preempted and computed again";
  if (running >= answer.max_seqs * answer.replicas * answer.dp)
    return "max_seqs: every slot is taken at the peak";
  if (kv > 0.95) return "KV cache: it is full at the peak";
  if (answer.busy > 0.95) return "the GPUs: steps run back to back";
  return fmt::format("demand: replicas have nothing to do {:.0f} % of the time",
                     100 * (1 - answer.busy));
}

// Work by the hour, from ten-minute windows; `could` is what the replicas deliver in a second
// when never idle.
void add_delivered(const SimulationResult& result, double could, SimulateAnswer& answer) {
  constexpr std::size_t kWindows = 6;
  for (std::size_t i = 0; i < result.delivered.size(); i += kWindows) {
    DeliveredPoint point{.start = Seconds::from_base(600.0 * static_cast<double>(i))};
    for (std::size_t j = i; j < std::min(i + kWindows, result.delivered.size()); ++j) {
      point.requests += result.delivered[j].requests;
      point.tokens_in += result.delivered[j].tokens_in;
      point.tokens_out += result.delivered[j].tokens_out;
    }
    const double length =
        std::min(3600.0, std::max(1.0, answer.duration.base() - point.start.base()));
    if (could > 0)
      point.load_factor =
          static_cast<double>(point.tokens_in + point.tokens_out) / (could * length);
    answer.delivered.push_back(point);
  }
}

// Seconds that what ReplicaRates speak of was paid for: a replica, or prefill and decode together.
double units_of(const SimulateSetup& setup, const SimulationResult& result) {
  if (setup.pools.size() == 1) return result.paid_replica_seconds;
  double gpus = 0;
  for (const serving::GroupRules& group : setup.rules.groups)
    gpus += group.replicas * group.gpus_per_replica;
  return result.paid_gpu_seconds / std::max(1.0, gpus);
}

}  // namespace

void add_points(const SimulateSetup& setup, const SimulationResult& result, double blocks,
                SimulateAnswer& answer) {
  serving::SeriesPoint before;
  for (const auto& point : result.series.points()) {
    const double seconds = sim::seconds_of(point.time - before.time).base();
    const double tokens = static_cast<double>(point.output_tokens - before.output_tokens);
    answer.series.push_back(
        {.time = sim::seconds_of(point.time),
         .waiting = point.waiting,
         .running = point.running,
         .kv_share = static_cast<double>(point.used_blocks) / std::max(1.0, blocks),
         .replicas = point.replicas,
         .throughput = with_interval(TokensPerSecond::from_base(tokens / seconds),
                                     Metric::kThroughput, setup)});
    before = point;
  }
  for (const auto& span : result.spans)
    answer.spans.push_back({.replica = span.replica,
                            .start = sim::seconds_of(span.begin),
                            .duration = sim::seconds_of(span.end - span.begin),
                            .steps = span.steps,
                            .sequences = span.decodes,
                            .prompt_tokens = span.prefill_tokens});
}

void add_load(const SimulateSetup& setup, const SimulationResult& result, const ReplicaRates& rates,
              SimulateAnswer& answer) {
  const double seconds = std::max(1e-12, answer.duration.base());
  const double mean_replicas = units_of(setup, result) / seconds;
  const double per_request =
      result.total.requests > 0
          ? static_cast<double>(result.total.tokens_in + result.total.tokens_out) /
                static_cast<double>(result.total.requests)
          : 0;
  const double share = rates.within_slo ? std::max(1e-3, *rates.within_slo / rates.saturated) : 1;
  const LoadShares shares =
      divide_load(result, mean_replicas, rates.saturated * per_request, std::min(1.0, share));
  const auto figure = [&](double value) {
    const auto wide = with_interval(value, Metric::kThroughput, setup);
    return EstimateOf<double>(value, wide.low(), std::min(1.0, wide.high()), Basis::kCalibrated,
                              "work delivered over work at saturation");
  };
  answer.load_factor = figure(shares.load_factor);
  answer.losses = {figure(shares.demand), figure(shares.shape), figure(shares.headroom),
                   figure(shares.slo), figure(shares.rounding)};
  answer.saturated_rate =
      with_interval(Hertz::from_base(rates.saturated), Metric::kThroughput, setup);
  if (rates.within_slo)
    answer.slo_rate =
        with_interval(Hertz::from_base(*rates.within_slo), Metric::kThroughput, setup);
  add_delivered(result, mean_replicas * rates.saturated * per_request, answer);
  answer.binding = find_binding(answer);
  if (setup.pools.size() == 2) answer.binding += " (decode pool)";
}

}  // namespace loadfactor::engine
