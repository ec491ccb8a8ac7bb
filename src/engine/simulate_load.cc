#include "engine/simulate_load.h"

#include <algorithm>
#include <cmath>

#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::SimulationResult;

constexpr std::size_t kSaturating = 3000;  // Requests of a run that finds a limit.
constexpr int kHalvings = 9;
constexpr double kLeastShare = 1e-3;  // Of the saturated rate.

// One replica of the first group alone, with the lengths of the demand at another rate.
class Probe {
 public:
  explicit Probe(const SimulateSetup& setup) : rules_(setup.rules), seed_(setup.poisson.seed) {
    for (serving::GroupRules& group : rules_.groups) {
      group.replicas = 1;
      group.scaling = {};
      group.failures.clear();
      group.scheduler.max_waiting = 0;
    }
    rules_.first_token_timeout = rules_.total_timeout = sim::kNever;
    if (!setup.has_trace()) {
      lengths_ = setup.poisson.lengths;
      return;
    }
    const std::size_t stride = std::max<std::size_t>(1, setup.trace.size() / kSaturating);
    for (std::size_t i = 0; i < setup.trace.size(); i += stride)
      lengths_.push_back({setup.trace.tokens_in[i], setup.trace.tokens_out[i]});
  }

  SimulationResult run(double rate, const serving::ServiceLimits& limits) const {
    sim::PoissonArrivals arrivals({.lengths = lengths_,
                                   .per_second = rate,
                                   .count = static_cast<std::int64_t>(kSaturating),
                                   .seed = seed_});
    return simulate(rules_, arrivals, {.limits = limits});
  }

 private:
  serving::ClusterRules rules_;
  std::vector<sim::RequestLength> lengths_;
  std::uint64_t seed_;
};

double work_of(const serving::DeliveredWork& work) {
  return static_cast<double>(work.tokens_in + work.tokens_out);
}

}  // namespace

double find_saturated_rate(const SimulateSetup& setup) {
  const SimulationResult result = Probe(setup).run(0, {});
  const double seconds = sim::seconds_of(result.end).base();
  return seconds > 0 ? static_cast<double>(result.total.requests) / seconds : 0;
}

std::vector<SloVerdict> judge_slo(const SimulateSetup& setup, const SimulationResult& result) {
  std::vector<SloVerdict> verdicts;
  if (!setup.ask().slo) return verdicts;
  for (const auto& bound : setup.ask().slo->bounds) {
    const bool is_first = bound.metric == config::SloMetric::kTimeToFirstToken;
    const auto& histogram = is_first ? result.ttft : result.tpot;
    const double ticks =
        histogram.quantile(bound.quantile) + (is_first ? static_cast<double>(setup.front) : 0.0);
    const Seconds reached = Seconds::from_base(ticks / static_cast<double>(sim::kSecond));
    verdicts.push_back({.name = std::string(is_first ? "ttft" : "tpot") + "_p" +
                                std::to_string(std::lround(100 * bound.quantile)),
                        .bound = bound.most.value,
                        .reached = reached,
                        .met = reached <= bound.most.value});
  }
  return verdicts;
}

std::optional<double> find_slo_rate(const SimulateSetup& setup, double saturated) {
  if (!setup.ask().slo || saturated <= 0) return std::nullopt;
  const Probe probe(setup);
  const auto holds = [&](double rate) {
    const auto verdicts = judge_slo(setup, probe.run(rate, setup.limits));
    return std::all_of(verdicts.begin(), verdicts.end(), [](const auto& v) { return v.met; });
  };
  double low = kLeastShare * saturated;
  double high = saturated;
  if (!holds(low)) return 0.0;
  if (holds(high)) return high;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

LoadShares divide_load(const SimulationResult& result, double mean_replicas,
                       double saturated_tokens, double slo_share) {
  LoadShares shares;
  const double seconds = sim::seconds_of(result.end).base();
  if (seconds <= 0 || saturated_tokens <= 0 || mean_replicas <= 0) return shares;
  constexpr double kWindow = 600;
  constexpr std::size_t kWindowsPerHour = 6;
  double busiest_window = 0;
  double busiest_hour = 0;
  const auto& windows = result.delivered;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    busiest_window = std::max(busiest_window, work_of(windows[i]) / kWindow);
    if (i + kWindowsPerHour > windows.size()) continue;
    double hour = 0;
    for (std::size_t j = i; j < i + kWindowsPerHour; ++j) hour += work_of(windows[j]);
    busiest_hour = std::max(busiest_hour, hour / (kWindow * kWindowsPerHour));
  }
  // In replicas that are never idle.
  const double mean = work_of(result.total) / seconds / saturated_tokens;
  const double hour = std::max(mean, busiest_hour / saturated_tokens);
  const double window = std::max(hour, busiest_window / saturated_tokens);
  const double needed = window / std::max(slo_share, 1e-9);
  const double whole = std::ceil(needed - 1e-9);
  shares.load_factor = mean / mean_replicas;
  LoadLosses& losses = shares.losses;
  losses = {.demand = std::max(0.0, mean_replicas - whole),
            .shape = hour - mean,
            .headroom = window - hour,
            .slo = needed - window,
            .rounding = whole - needed};
  // With fewer replicas than the peak needs, what is lost is shared out of what is left.
  const double sum = losses.demand + losses.shape + losses.headroom + losses.slo + losses.rounding;
  const double left = std::max(0.0, 1 - shares.load_factor);
  const double scale = sum > 0 ? left / sum : 0;
  for (double* loss :
       {&losses.demand, &losses.shape, &losses.headroom, &losses.slo, &losses.rounding})
    *loss *= scale;
  return shares;
}

}  // namespace loadfactor::engine
