#include "serving/load_factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace loadfactor::serving {
namespace {

double busiest_hour(std::span<const double> rates, double windows_per_hour) {
  const auto width = std::max<std::size_t>(1, static_cast<std::size_t>(windows_per_hour));
  double busiest = 0;
  for (std::size_t first = 0; first < rates.size(); first += width) {
    double sum = 0;
    const std::size_t last = std::min(rates.size(), first + width);
    if (last - first < width && first > 0) break;  // A part of an hour proves nothing.
    for (std::size_t i = first; i < last; ++i) sum += rates[i];
    busiest = std::max(busiest, sum / static_cast<double>(last - first));
  }
  return busiest;
}

std::vector<double> known_of(WindowRates rates) {
  std::vector<double> known;
  for (const double rate : rates.per_second())
    if (rate >= 0) known.push_back(rate);
  return known;
}

// Share of the requests of these windows within every bound.
double share_within(const std::vector<double>& known, const ReplicaCapacity& replica,
                    double replicas) {
  const double kept = replicas * replica.at_slo.base();
  double total = 0;
  double in_time = 0;
  for (const double rate : known) {
    total += rate;
    if (!replica.misses.empty()) {
      const MissSample missed = replica.misses.at(Hertz::from_base(rate / replicas));
      in_time += rate * (1 - missed.first) * (1 - missed.each);
    } else if (rate <= kept * (1 + 1e-9)) {
      // The edge itself is within: a fleet sized to its peak keeps its promise there.
      in_time += rate;
    }
  }
  return total > 0 ? in_time / total : 1;
}

// Whether no more requests miss a bound than may.
bool keeps(const std::vector<double>& known, const ReplicaCapacity& replica, double replicas) {
  double total = 0;
  double first = 0;
  double each = 0;
  for (const double rate : known) {
    const MissSample missed = replica.misses.at(Hertz::from_base(rate / replicas));
    total += rate;
    first += rate * missed.first;
    each += rate * missed.each;
  }
  return first <= replica.allowed.first * total && each <= replica.allowed.each * total;
}

}  // namespace

FluidLoad fluid_load(WindowRates rates, double windows_per_hour, const ReplicaCapacity& replica,
                     double replicas) {
  FluidLoad load;
  std::vector<double> known = known_of(rates);
  const double full = replicas * replica.saturated.base();
  if (known.empty() || full <= 0) return load;
  load.within_slo = share_within(known, replica, replicas);
  const auto count = static_cast<double>(known.size());
  double offered = 0;
  double served = 0;
  double peak_asked = 0;
  for (double& rate : known) {
    offered += rate / count;
    peak_asked = std::max(peak_asked, rate);
    rate = std::min(rate, full);
    served += rate / count;
  }
  served = std::min(served, full);  // Rounding of the sum aside.
  load.offered = Hertz::from_base(offered);
  load.served = Hertz::from_base(served);
  load.load_factor = served / full;
  load.replicas_needed = replica.at_slo > Hertz() ? peak_asked / replica.at_slo.base() : replicas;
  const double peak = *std::max_element(known.begin(), known.end());
  const double busiest = busiest_hour(known, windows_per_hour);
  const double needed = std::min(load.replicas_needed, replicas);
  const double whole = std::min(std::ceil(needed - 1e-9), replicas);
  load.losses.demand = (replicas - whole) / replicas;
  load.losses.rounding = (whole - needed) / replicas;
  load.losses.slo = std::max(0.0, needed / replicas - peak / full);
  load.losses.headroom = (peak - busiest) / full;
  load.losses.shape = (busiest - served) / full;
  return load;
}

// Halves the rates that are still in question, as a sort that follows one side alone.
Hertz level_for(WindowRates rates, double share) {
  std::vector<double> known = known_of(rates);
  if (known.empty()) return {};
  const double wanted = share * std::accumulate(known.begin(), known.end(), 0.0) * (1 - 1e-12);
  auto first = known.begin();
  auto last = known.end();
  double below = 0;  // Sum of all rates before `first`.
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last);
    const double lower = std::accumulate(first, middle, below);
    if (lower >= wanted) {
      last = middle;
    } else {
      below = lower;
      first = middle;
    }
  }
  return Hertz::from_base(*first);
}

double least_replicas(WindowRates rates, const ReplicaCapacity& replica, double share) {
  if (replica.at_slo <= Hertz()) return 0;
  const Hertz level = level_for(rates, share);
  if (replica.misses.empty() || level <= Hertz()) return level / replica.at_slo;
  const std::vector<double> known = known_of(rates);
  // With the peak below the rate of a replica within the SLO no window misses too many.
  double high = *std::max_element(known.begin(), known.end()) / replica.at_slo.base();
  if (!keeps(known, replica, high)) return high;
  double low = 0;
  constexpr double kClose = 1e-4;
  while (high - low > kClose * high) {
    const double middle = 0.5 * (low + high);
    (keeps(known, replica, middle) ? high : low) = middle;
  }
  return high;
}

double fullest_load(WindowRates rates, const ReplicaCapacity& replica, double share) {
  const double least = least_replicas(rates, replica, share);
  return least > 0 ? fluid_load(rates, 1, replica, least).load_factor : 1;
}

int replicas_for(WindowRates rates, const ReplicaCapacity& replica, double share) {
  const double needed = std::ceil(least_replicas(rates, replica, share) - 1e-9);
  return static_cast<int>(std::clamp(needed, 1.0, kMostReplicas + 1.0));
}

}  // namespace loadfactor::serving
