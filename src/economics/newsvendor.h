// How much to own when demand moves and the rest can be rented: the newsvendor's question.
#pragma once

#include <array>

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
double critical_fractile(const BurstPrices& prices);

Baseline best_baseline(const NormalDemand& demand, const BurstPrices& prices);
// The same figures for a given number owned.
Baseline with_owned(const NormalDemand& demand, const BurstPrices& prices, double owned);

// On a curve: unit j is owned if demand reaches j for at least (own - resale) / (burst - resale)
// of the time. `unit` is the size of a node: both neighbours are compared.
Baseline best_baseline(const LoadCurve& demand, const BurstPrices& prices, double unit = 1);
Baseline with_owned(const LoadCurve& demand, const BurstPrices& prices, double owned);

// Share of the time that the last owned GPU must be needed.
double critical_share(const BurstPrices& prices);

// Own, reserve, and rent on demand. A tier pays for all its time, the last for what it is used.
struct ThreePrices {
  DollarsPerSecond own;
  DollarsPerSecond reserved;
  DollarsPerSecond on_demand;
};
struct ThreeTiers {
  double owned = 0;
  double reserved = 0;
  double on_demand = 0;  // Mean.
  DollarsPerSecond cost;
};
// The cheaper of owning and reserving carries the base; both pay around the clock, so that the
// dearer of the two is left out unless `max_owned` stops the cheaper one.
ThreeTiers three_tiers(const LoadCurve& demand, const ThreePrices& prices, double max_owned,
                       double unit = 1);

}  // namespace loadfactor::economics
