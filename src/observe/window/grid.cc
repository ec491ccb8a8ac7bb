#include "observe/window/grid.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::observe {

int Grid::slots() const {
  return std::max(1, static_cast<int>(std::ceil((to - from) / step - 1e-9)));
}

int Grid::slot_of(double time) const {
  // A sample stands for the time before it, so that one at the end belongs to the last slot.
  if (!(time >= from) || time > to) return -1;
  const int slot = static_cast<int>(std::floor((time - from) / step));
  return std::min(slot, slots() - 1);
}

bool is_fine_enough(double from, double to, double step) {
  constexpr double kMostOfOne = 600'000;  // A year of minutes.
  return (to - from) / step <= kMostOfOne;
}

Grid make_grid(double from, double to, double least_step) {
  for (const double step : {1.0, 5.0, 10.0, 15.0, 30.0, 60.0, 300.0, 600.0, 3600.0, 14400.0}) {
    if (step < least_step) continue;
    if ((to - from) / step <= kMostSlots) return {from, to, step};
  }
  return {from, to, (to - from) / kMostSlots};
}

}  // namespace loadfactor::observe
