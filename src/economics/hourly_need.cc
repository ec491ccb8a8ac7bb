#include "economics/hourly_need.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "economics/cost_case.h"

namespace loadfactor::economics {
namespace {

constexpr double kNothing = 1e-9;  // Part of a unit, lost to rounding of numbers.

int whole(double units) {
  return static_cast<int>(std::ceil(units - kNothing));
}

}  // namespace

double Capacity::in_instances(double needed) const {
  if (instances.empty() || needed <= 0) return needed;
  // The GPUs of a run work together: as many in each instance as divide them evenly.
  const int wanted = whole(needed);
  const int together = run ? std::gcd(wanted, whole(machine)) : whole(node);
  return instances.paid(wanted, run && wanted < machine ? wanted : together);
}

HourlyNeed::HourlyNeed(const Capacity& capacity)
    : instances_(capacity.instances), unit_(capacity.node) {
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

double HourlyNeed::rented(int units, double there) const {
  const int missing = std::max(0, whole(units - there / unit_));
  return instances_.paid(missing * whole(unit_), whole(unit_));
}

double HourlyNeed::mean_rented(double there) const {
  double sum = 0;
  for (const NeedLevel& level : levels_) sum += level.share * rented(level.units, there);
  return sum;
}

double HourlyNeed::most_rented(double there) const {
  return empty() ? 0 : rented(levels_.back().units, there);
}

double HourlyNeed::rented_unit() const {
  return instances_.unit(whole(unit_));
}

double HourlyNeed::used_of_rented() const {
  return instances_.used(whole(unit_));
}

}  // namespace loadfactor::economics
