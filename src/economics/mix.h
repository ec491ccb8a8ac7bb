// The cheapest whole machines of several ways to pay for a need that changes by the hour.
//
// One path for every mix: the optimiser of `decide` chooses what to commit to, and the choice is
// then priced to the cent, with what a contract costs beside its hours.
#pragma once

#include <optional>

#include "economics/cost_case.h"
#include "economics/hourly_need.h"

namespace loadfactor::economics {

// The ways that a mix may be made of.
struct MixWays {
  bool own = false;
  std::optional<OptionKind> reserved;  // For one or for three years.
  std::optional<OptionKind> by_hour;   // On demand or spot.
};

struct Mix {
  MixWays ways;         // As asked; not all of them need be used.
  double owned = 0;     // GPUs, in whole machines.
  double reserved = 0;  // The same.
  double rented = 0;    // Mean of GPUs by the hour, in whole units of the need.
  double at_work = 0;   // Mean of owned GPUs that are needed.
  DollarsPerSecond cost;

  int ways_used() const { return (owned > 0) + (reserved > 0) + (rented > 0); }
};

// Work of a GPU that is needed, as a share of what it could do.
double work_of_needed(const Capacity& capacity, const HourlyNeed& need);

// What the machines cost with so many owned and reserved, people not counted. Nothing where the
// ways cannot carry the need.
std::optional<Mix> price_mix(const CostCase& terms, const HourlyNeed& need, const MixWays& ways,
                             double owned, double reserved);

// No other number of machines costs less, and no fewer of the ways.
std::optional<Mix> cheapest_mix(const CostCase& terms, const HourlyNeed& need, const MixWays& ways);

}  // namespace loadfactor::economics
