#include "economics/newsvendor.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/distributions.h"

namespace loadfactor::economics {
namespace {

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

double normal_above(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

DollarsPerSecond cost_of(const Baseline& baseline, const BurstPrices& prices) {
  return prices.own * baseline.owned + prices.burst * baseline.burst -
         prices.resale * baseline.idle;
}

}  // namespace

double critical_fractile(const BurstPrices& prices) {
  if (prices.burst <= prices.own) return 0;
  if (prices.own <= prices.resale) return 1;
  return (prices.burst - prices.own) / (prices.burst - prices.resale);
}

double critical_share(const BurstPrices& prices) {
  return 1.0 - critical_fractile(prices);
}

Baseline with_owned(const NormalDemand& demand, const BurstPrices& prices, double owned) {
  Baseline baseline;
  baseline.owned = owned;
  baseline.fractile = critical_fractile(prices);
  if (demand.deviation == 0) {
    baseline.burst = std::max(0.0, demand.mean - owned);
  } else {
    baseline.z = (owned - demand.mean) / demand.deviation;
    const double above = normal_density(baseline.z) - baseline.z * normal_above(baseline.z);
    baseline.burst = demand.deviation * above;
  }
  baseline.idle = owned - demand.mean + baseline.burst;
  baseline.cost = cost_of(baseline, prices);
  return baseline;
}

Baseline best_baseline(const NormalDemand& demand, const BurstPrices& prices) {
  const double fractile = critical_fractile(prices);
  if (fractile <= 0) return with_owned(demand, prices, 0);
  // Demand beyond eight deviations does not occur.
  constexpr double kMaxDeviations = 8.0;
  const double z = fractile >= 1 ? kMaxDeviations : normal_quantile(fractile);
  const double spread = demand.deviation == 0 ? 0.0 : z * demand.deviation;
  return with_owned(demand, prices, std::max(0.0, demand.mean + spread));
}

Baseline with_owned(const LoadCurve& demand, const BurstPrices& prices, double owned) {
  Baseline baseline;
  baseline.fractile = critical_fractile(prices);
  baseline.owned = owned;
  baseline.burst = demand.mean_above(owned);
  baseline.idle = demand.mean_below(owned);
  baseline.cost = cost_of(baseline, prices);
  return baseline;
}

Baseline best_baseline(const LoadCurve& demand, const BurstPrices& prices, double unit) {
  const double share = critical_share(prices);
  const double level = share <= 0 ? demand.peak() : demand.level_reached(share);
  const double down = std::floor(level / unit + 1e-9) * unit;
  const Baseline lower = with_owned(demand, prices, down);
  if (level - down < 1e-9) return lower;
  const Baseline upper = with_owned(demand, prices, down + unit);
  return upper.cost < lower.cost ? upper : lower;
}

ThreeTiers three_tiers(const LoadCurve& demand, const ThreePrices& prices, double max_owned,
                       double unit) {
  ThreeTiers tiers;
  const bool own_first = prices.own <= prices.reserved;
  const auto base = [&](DollarsPerSecond price) {
    return best_baseline(demand, {.own = price, .burst = prices.on_demand}, unit).owned;
  };
  if (own_first) {
    tiers.owned = std::min(base(prices.own), max_owned);
    tiers.reserved = std::max(0.0, base(prices.reserved) - tiers.owned);
  } else {
    tiers.reserved = base(prices.reserved);
  }
  tiers.on_demand = demand.mean_above(tiers.owned + tiers.reserved);
  tiers.cost = prices.own * tiers.owned + prices.reserved * tiers.reserved +
               prices.on_demand * tiers.on_demand;
  return tiers;
}

}  // namespace loadfactor::economics
