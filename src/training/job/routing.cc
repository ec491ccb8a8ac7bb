// Uneven routing: the load of the busiest rank is lognormal around its mean.
#include <algorithm>
#include <cmath>

#include "training/job/job.h"
#include "training/job/routing_over_ranks.h"

namespace loadfactor::training {
namespace {

double normal_below(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

// The mean of min(X, cap) for a lognormal X of some mean and spread of its logarithm.
double mean_below(double mean, double spread, double cap) {
  if (spread <= 0) return std::min(mean, cap);
  const double centre = std::log(mean) - spread * spread / 2;
  const double z = (std::log(cap) - centre) / spread;
  return mean * normal_below(z - spread) + cap * (1 - normal_below(z));
}

}  // namespace

ExpertRouting over_ranks(const ExpertRouting& routing, int ranks) {
  ExpertRouting held = routing;
  held.imbalance = std::min(routing.imbalance, std::max(1.0, static_cast<double>(ranks)));
  if (ranks <= 1) held.spread = 0;
  return held;
}

double ExpertRouting::busiest(double at_least) const {
  const double mean = std::max(imbalance, at_least);
  if (capacity <= 0) return mean;
  return padded ? capacity : mean_below(mean, spread, capacity);
}

double ExpertRouting::room() const {
  constexpr double kOneInAHundred = 2.326;
  if (padded && capacity > 0) return capacity;
  const double most = imbalance * std::exp(spread * kOneInAHundred - spread * spread / 2);
  const double held = std::max(imbalance, most);
  return capacity > 0 ? std::min(held, capacity) : held;
}

double ExpertRouting::dropped() const {
  return capacity > 0 ? 1 - mean_below(imbalance, spread, capacity) / imbalance : 0.0;
}

}  // namespace loadfactor::training
