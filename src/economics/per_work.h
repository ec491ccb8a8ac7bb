// Prices and energy per unit of work instead of per hour.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

using JoulesPerToken = Quantity<Dimension{.energy = 1, .token = -1}>;
using DollarsPerFlop = Quantity<Dimension{.work = -1, .money = 1}>;

inline DollarsPerToken price_per_token(DollarsPerSecond cost, TokensPerSecond rate,
                                       double load_factor) {
  return cost / (rate * load_factor);
}
inline JoulesPerToken energy_per_token(Watts power, TokensPerSecond rate) {
  return power / rate;
}
inline DollarsPerFlop price_per_flop(DollarsPerSecond price, FlopsPerSecond rate) {
  return price / rate;
}
// What an hour that carries work costs, in hours paid, where all of the cost is fixed.
inline double empty_multiplier(double load_factor) {
  return 1.0 / load_factor;
}

}  // namespace loadfactor::economics
