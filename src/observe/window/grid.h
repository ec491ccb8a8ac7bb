// A window of time in equal slots.
#pragma once

#include <algorithm>

namespace loadfactor::observe {

// The window in equal slots. Times are seconds since 1970.
struct Grid {
  double from = 0;
  double to = 0;
  double step = 60;

  int slots() const;
  // Negative outside of the window.
  int slot_of(double time) const;
  double time_of(int slot) const { return from + step * slot; }
  // The last slot ends with the window.
  double end_of(int slot) const { return std::min(to, time_of(slot + 1)); }
};
inline constexpr double kMostSlots = 10080;  // A week of minutes.

// A window in slots of a round length, as many as may be held of any number of GPUs.
Grid make_grid(double from, double to, double least_step = 1);
// Whether slots of this length are few enough to be held of one GPU.
bool is_fine_enough(double from, double to, double step);

}  // namespace loadfactor::observe
