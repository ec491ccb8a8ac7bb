// Work that may wait: the least rate that does it by its deadline, and what is left to do when.
//
// A queue before the fleet lets requests through, first come first served, at one rate at most.
// Work that finds a backlog of B waits B over that rate, so the deadline is kept as long as the
// backlog never exceeds the rate times the time that it may wait. The week repeats: what is left
// on Sunday night is done on Monday.
#pragma once

#include <span>
#include <vector>

#include "demand/trace.h"
#include "loadfactor/quantity.h"

namespace loadfactor::demand {

struct Deferral {
  std::vector<double> rates = {};  // What the queue lets through, by windows.
  double most = 0;                 // The rate that it never exceeds.
  Seconds longest = {};            // The longest that anything waits in it.
};

// The least rate that lets all of `rates` through within `wait`, never below their mean. Windows
// without a rate (< 0) are silent.
Deferral defer(std::span<const double> rates, Seconds window, Seconds wait);

// Requests of a trace as such a queue lets them through.
Trace deferred(Trace trace, Hertz most);

}  // namespace loadfactor::demand
