// GPUs that must be on, in whole units, over the share of the time in which they must.
#pragma once

#include <span>
#include <vector>

#include "base/instances.h"

namespace loadfactor::economics {

struct Capacity;

// For a share of the time so many units are needed.
struct NeedLevel {
  int units = 0;
  double share = 0;
};

// A load-duration curve of whole units, the least need first.
class HourlyNeed {
 public:
  // The need of a capacity by the hour, where it is known; else it is empty. Where demand is
  // scaled, the need goes with it and stays whole; never more than the fleet is needed.
  explicit HourlyNeed(const Capacity& capacity);

  bool empty() const { return levels_.empty(); }
  std::span<const NeedLevel> levels() const { return levels_; }
  double unit() const { return unit_; }  // GPUs.
  double peak() const { return empty() ? 0.0 : levels_.back().units * unit_; }
  double mean() const { return mean_between(0, peak()); }
  // Mean of the GPUs needed above `from` and up to `to` of them.
  double mean_between(double from, double to) const;
  // Mean and most of the GPUs that are rented, in whole instances that hold whole units, where so
  // many are there already.
  double mean_rented(double there) const;
  double most_rented(double there) const;
  // GPUs of the smallest instance that holds a unit, and those of them that units use.
  double rented_unit() const;
  double used_of_rented() const;

 private:
  double rented(int units, double there) const;

  InstanceSizes instances_;
  std::vector<NeedLevel> levels_;
  double unit_ = 1;
};

}  // namespace loadfactor::economics
