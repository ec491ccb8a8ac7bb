// What a simulation looked like over time, how full it was, and what bound it.
#include <algorithm>

#include "engine/serve/rate_bounds.h"
#include "engine/serve/simulate_answer.h"
#include "engine/serve/simulate_binding.h"
#include "engine/serve/simulate_estimate.h"
#include "engine/serve/simulate_load.h"

namespace loadfactor::engine {
namespace {

using serving::Metric;
using serving::SimulationResult;

// Ranks paid for on average between two times, or `otherwise` where no point lies there.
double ranks_between(const SimulationResult& result, Seconds from, Seconds to, double otherwise) {
  double sum = 0;
  int points = 0;
  for (const auto& point : result.series.points()) {
    const Seconds time = sim::seconds_of(point.time);
    if (time <= from || time > to) continue;
    sum += static_cast<double>(point.paid_replicas);
    ++points;
  }
  return points > 0 ? sum / points : otherwise;
}

// How many replicas so many ranks are: of pools apart the first neither scales nor fails.
std::int64_t replicas_in(const SimulateSetup& setup, std::int64_t ranks) {
  const SimulatedPool& first = *setup.pools.front();
  const SimulatedPool& last = *setup.pools.back();
  const std::int64_t before = setup.is_split() ? first.replicas : 0;
  return before + (ranks - before * first.ranks() + last.ranks() - 1) / last.ranks();
}

// Work by the hour, from ten-minute windows, by when requests end; `could` is what one unit that is
// paid for delivers in a second when never idle, `units` how many there are on average.
void add_delivered(const SimulateSetup& setup, const SimulationResult& result, double could,
                   double units, SimulateAnswer& answer) {
  constexpr std::size_t kWindows = 6;
  const double ranks = setup.pools.front()->ranks();
  for (std::size_t i = 0; i < result.delivered.size(); i += kWindows) {
    DeliveredPoint point{.start = Seconds::from_base(600.0 * static_cast<double>(i))};
    for (std::size_t j = i; j < std::min(i + kWindows, result.delivered.size()); ++j) {
      point.requests += result.delivered[j].requests;
      point.tokens_in += result.delivered[j].tokens_in;
      point.tokens_out += result.delivered[j].tokens_out;
    }
    const double length =
        std::min(3600.0, std::max(1.0, answer.duration.base() - point.start.base()));
    const Seconds upto = point.start + Seconds::from_base(length);
    const double paid = setup.scales() && !setup.is_split()
                            ? ranks_between(result, point.start, upto, ranks * units) / ranks
                            : units;
    const double most = could * paid * length;
    if (most > 0)
      point.load_factor =
          std::min(1.0, static_cast<double>(point.tokens_in + point.tokens_out) / most);
    answer.delivered.push_back(point);
  }
}

}  // namespace

void add_points(const SimulateSetup& setup, const SimulationResult& result,
                SimulateAnswer& answer) {
  serving::SeriesPoint before;
  for (const auto& point : result.series.points()) {
    const double seconds = sim::seconds_of(point.time - before.time).base();
    const double tokens = static_cast<double>(point.output_tokens - before.output_tokens);
    answer.series.push_back(
        {.time = sim::seconds_of(point.time),
         .waiting = point.waiting,
         .running = point.running,
         .kv_share = static_cast<double>(point.used_blocks) /
                     static_cast<double>(std::max<std::int64_t>(1, point.blocks)),
         .replicas = replicas_in(setup, point.replicas),
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

namespace {

void bound_rates(const SimulationResult& result, double replicas, SimulateAnswer& answer) {
  const double served = static_cast<double>(result.total.requests);
  const double rate = answer.request_rate.value().base();
  if (served <= 0 || rate <= 0) return;
  const RateBounds bounds{.low = answer.saturated_rate.low().base() * replicas / rate,
                          .high = static_cast<double>(result.requests()) / served};
  answer.request_rate = bounds.of(answer.request_rate);
  for (TokenRates* tokens : {&answer.rate_in, &answer.rate_out, &answer.rate_total})
    for (auto* one : {&tokens->all, &tokens->per_replica, &tokens->per_gpu}) *one = bounds.of(*one);
}

}  // namespace

void add_load(const SimulateSetup& setup, const SimulationResult& result, const ReplicaRates& rates,
              SimulateAnswer& answer) {
  const double seconds = std::max(1e-12, answer.duration.base());
  const double mean_replicas = paid_unit_seconds(setup, result) / seconds;
  const double per_request =
      result.total.requests > 0
          ? static_cast<double>(result.total.tokens_in + result.total.tokens_out) /
                static_cast<double>(result.total.requests)
          : setup.mean_in + setup.mean_out;
  const double share = rates.within_slo ? std::max(1e-3, *rates.within_slo / rates.saturated) : 1;
  const LoadShares shares =
      divide_load(result, mean_replicas, rates.saturated * per_request, std::min(1.0, share));
  const auto figure = [&](double value) {
    const auto wide = with_interval(value, Metric::kThroughput, setup);
    return EstimateOf<double>(value, wide.low(), std::min(1.0, wide.high()), Basis::kCalibrated,
                              "saturated-work");
  };
  answer.load_factor = figure(shares.load_factor);
  answer.losses = {figure(shares.demand), figure(shares.shape),    figure(shares.headroom),
                   figure(shares.slo),    figure(shares.rounding), figure(shares.downtime)};
  answer.saturated_rate =
      with_interval(Hertz::from_base(rates.saturated), Metric::kThroughput, setup);
  bound_rates(result, mean_replicas, answer);
  if (rates.within_slo)
    answer.slo_rate =
        with_interval(Hertz::from_base(*rates.within_slo), Metric::kThroughput, setup);
  add_delivered(setup, result, rates.saturated * per_request, mean_replicas, answer);
  answer.binding = find_binding(setup, result, shares.peak, answer);
}

}  // namespace loadfactor::engine
