// How much to own when demand moves and the rest can be rented, in closed form: the newsvendor's
// critical ratio. It is exact where GPUs come one by one and owned ones cost the same at work, and
// so an oracle for the choice among whole units.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/distributions.h"
#include "economics/load_curve.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// Per GPU and time: own it, rent it when needed, sell its idle hours. Own and resale lie below
// burst; otherwise nothing or everything is owned.
struct BurstPrices {
  DollarsPerSecond own;
  DollarsPerSecond burst;
  DollarsPerSecond resale;
};

// Demand is normal.
struct NormalDemand {
  double mean = 0;
  double deviation = 0;
};

struct Baseline {
  double fractile = 0;  // Share of the time that demand shall stay below what is owned.
  double z = 0;         // The fractile in standard deviations; for normal demand only.
  double owned = 0;
  double burst = 0;  // Mean GPUs rented on top.
  double idle = 0;   // Mean GPUs owned and not needed.
  DollarsPerSecond cost;
};

// (burst - own) / (burst - resale), within [0, 1].
inline double critical_fractile(const BurstPrices& prices) {
  if (prices.burst <= prices.own) return 0;
  if (prices.own <= prices.resale) return 1;
  return (prices.burst - prices.own) / (prices.burst - prices.resale);
}

inline DollarsPerSecond cost_of(const Baseline& baseline, const BurstPrices& prices) {
  return prices.own * baseline.owned + prices.burst * baseline.burst -
         prices.resale * baseline.idle;
}

inline Baseline with_owned(const NormalDemand& demand, const BurstPrices& prices, double owned) {
  Baseline baseline;
  baseline.owned = owned;
  baseline.fractile = critical_fractile(prices);
  if (demand.deviation == 0) {
    baseline.burst = std::max(0.0, demand.mean - owned);
  } else {
    const double z = (owned - demand.mean) / demand.deviation;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    baseline.z = z;
    baseline.burst = demand.deviation * (density - z * 0.5 * std::erfc(z / std::numbers::sqrt2));
  }
  baseline.idle = owned - demand.mean + baseline.burst;
  baseline.cost = cost_of(baseline, prices);
  return baseline;
}

inline Baseline best_baseline(const NormalDemand& demand, const BurstPrices& prices) {
  const double fractile = critical_fractile(prices);
  if (fractile <= 0) return with_owned(demand, prices, 0);
  constexpr double kMaxDeviations = 8.0;  // Demand beyond these does not occur.
  const double z = fractile >= 1 ? kMaxDeviations : normal_quantile(fractile);
  const double spread = demand.deviation == 0 ? 0.0 : z * demand.deviation;
  return with_owned(demand, prices, std::max(0.0, demand.mean + spread));
}

inline Baseline with_owned(const LoadCurve& demand, const BurstPrices& prices, double owned) {
  Baseline baseline;
  baseline.fractile = critical_fractile(prices);
  baseline.owned = owned;
  baseline.burst = demand.mean_above(owned);
  baseline.idle = demand.mean_below(owned);
  baseline.cost = cost_of(baseline, prices);
  return baseline;
}

// The last owned GPU is needed for at least (own - resale) / (burst - resale) of the time.
inline Baseline best_baseline(const LoadCurve& demand, const BurstPrices& prices) {
  const double share = 1.0 - critical_fractile(prices);
  if (share >= 1) return with_owned(demand, prices, 0);  // Renting is cheaper all the time, too.
  return with_owned(demand, prices, share <= 0 ? demand.peak() : demand.level_reached(share));
}

}  // namespace loadfactor::economics
