#include "economics/hourly_need.h"

#include <algorithm>
#include <cmath>

#include "economics/cost_case.h"

namespace loadfactor::economics {
namespace {

constexpr double kNothing = 1e-9;  // Part of a unit, lost to rounding of numbers.

int whole(double units) {
  return static_cast<int>(std::ceil(units - kNothing));
}

}  // namespace

HourlyNeed::HourlyNeed(const Capacity& capacity) : unit_(capacity.node) {
  const int most = whole(capacity.gpus / unit_);
  const auto add = [&](int units, double share) {
    // What needs a unit still needs one when it shrinks.
    const auto scaled = static_cast<int>(std::lround(units * capacity.demand_scale));
    const int needed = std::min(most, units > 0 ? std::max(1, scaled) : 0);
    if (levels_.empty() || levels_.back().units != needed)
      levels_.push_back({needed, share});
    else
      levels_.back().share += share;
  };
  if (!capacity.on.empty()) {
    for (const NeedLevel& level : capacity.on) add(level.units, level.share);
    return;
  }
  const auto hours = capacity.by_hour.sorted();
  for (const double gpus : hours) add(whole(gpus / unit_), 1.0 / static_cast<double>(hours.size()));
}

double HourlyNeed::mean_between(double from, double to) const {
  double sum = 0;
  for (const NeedLevel& level : levels_)
    sum += level.share * std::max(0.0, std::min(level.units * unit_, to) - from);
  return sum;
}

double HourlyNeed::mean_rented(double there) const {
  double sum = 0;
  for (const NeedLevel& level : levels_)
    sum += level.share * std::max(0, whole(level.units - there / unit_)) * unit_;
  return sum;
}

}  // namespace loadfactor::economics
