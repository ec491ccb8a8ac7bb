// Sums over the slots of a schedule, and over figures that are not known exactly.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/fleet/fleet.h"
#include "engine/fleet/fleet_build.h"
#include "fleet/problem.h"

namespace loadfactor::engine {

// GPUs of one workload, slot by slot.
std::vector<int> load_of(const BuiltFleet& built, const fleet::Schedule& schedule,
                         std::size_t workload);

// Means of slots that are the same hour of the week, or the same day.
std::vector<double> by_hour_of_week(const std::vector<int>& load);
std::vector<double> by_day(const std::vector<int>& load);

double sum_of(const std::vector<int>& load);

// A sum at both ends of what is not known of its parts.
struct SumEnds {
  double low = 0;
  double middle = 0;
  double high = 0;

  void add(double amount, const FleetSpread& spread) {
    low += amount * spread.low;
    middle += amount;
    high += amount * spread.high;
  }
  FleetSpread spread() const {
    return middle > 0 ? FleetSpread{low / middle, high / middle} : FleetSpread{};
  }
};

}  // namespace loadfactor::engine
