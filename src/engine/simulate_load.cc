#include "engine/simulate_load.h"

#include <algorithm>
#include <cmath>

#include "sim/recorded_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::SimulationResult;

constexpr std::int64_t kSaturating = 3000;        // Requests of a run that finds a limit,
constexpr std::int64_t kMostSaturating = 30'000;  // and where many replicas share them.
constexpr int kHalvings = 9;
constexpr double kLeastShare = 1e-3;  // Of the saturated rate.

// One replica alone, with the lengths of the demand at another rate; where prefill and decode are
// apart, all of them, since one is nothing without the other.
class Probe {
 public:
  explicit Probe(const SimulateSetup& setup) : rules_(setup.rules), seed_(setup.poisson.seed) {
    const bool is_split = setup.pools.size() > 1;
    for (serving::GroupRules& group : rules_.groups) {
      if (is_split)
        requests_ = std::max(requests_, std::min(kMostSaturating, kSaturating * group.replicas));
      else
        group.replicas = 1;
      group.scaling = {};
      group.failures.clear();
      group.scheduler.max_waiting = 0;
      group.first_token_timeout = group.total_timeout = sim::kNever;
    }
    if (!setup.has_trace()) {
      lengths_ = setup.poisson.lengths;
      return;
    }
    const std::size_t stride =
        std::max<std::size_t>(1, setup.trace.size() / static_cast<std::size_t>(kSaturating));
    for (std::size_t i = 0; i < setup.trace.size(); i += stride)
      lengths_.push_back({setup.trace.tokens_in[i], setup.trace.tokens_out[i]});
  }

  SimulationResult run(double rate, const serving::ServiceLimits& limits) const {
    sim::PoissonArrivals arrivals(
        {.lengths = lengths_, .per_second = rate, .count = requests_, .seed = seed_});
    return simulate(rules_, arrivals, {.limits = limits});
  }

 private:
  serving::ClusterRules rules_;
  std::vector<sim::RequestLength> lengths_;
  std::int64_t requests_ = kSaturating;
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

std::vector<Seconds> reach_slo(const SimulateSetup& setup, const SimulationResult& result) {
  std::vector<Seconds> reached;
  if (!setup.ask().slo) return reached;
  for (const auto& bound : setup.ask().slo->bounds) {
    const bool is_first = bound.metric == config::SloMetric::kTimeToFirstToken;
    const bool is_whole = bound.metric == config::SloMetric::kWholeRequest;
    const auto& histogram = is_first ? result.ttft : is_whole ? result.e2e : result.tpot;
    const double before = is_first || is_whole ? static_cast<double>(setup.front) : 0.0;
    reached.push_back(Seconds::from_base((histogram.quantile(bound.quantile) + before) /
                                         static_cast<double>(sim::kSecond)));
  }
  return reached;
}

std::optional<double> find_slo_rate(const SimulateSetup& setup, double saturated) {
  if (!setup.ask().slo || saturated <= 0) return std::nullopt;
  const Probe probe(setup);
  const auto holds = [&](double rate) {
    const auto reached = reach_slo(setup, probe.run(rate, setup.limits));
    for (std::size_t i = 0; i < reached.size(); ++i)
      if (reached[i] > setup.ask().slo->bounds[i].most.value) return false;
    return true;
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
  shares.demand = std::max(0.0, mean_replicas - whole);
  shares.shape = hour - mean;
  shares.headroom = window - hour;
  shares.slo = needed - window;
  shares.rounding = whole - needed;
  // With fewer replicas than the peak needs, what is lost is shared out of what is left.
  const double sum = shares.demand + shares.shape + shares.headroom + shares.slo + shares.rounding;
  const double left = std::max(0.0, 1 - shares.load_factor);
  const double scale = sum > 0 ? left / sum : 0;
  for (double* loss :
       {&shares.demand, &shares.shape, &shares.headroom, &shares.slo, &shares.rounding})
    *loss *= scale;
  return shares;
}

}  // namespace loadfactor::engine
