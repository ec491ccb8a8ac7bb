// What the power limit leaves of the clock when a load lasts.
//
// Dynamic power grows with the rate of work and with the square of the voltage, which follows the
// clock; at full use that is the cube of the clock. A burst shorter than the controller's window
// runs at the clock it finds; a load that lasts is slowed until it draws the limit.
#pragma once

#include <span>

#include "loadfactor/quantity.h"

namespace loadfactor::cost {

// The power a chip would draw at its full clock under one kind of load, were it allowed to.
struct PowerDraw {
  Watts compute;  // Follows the cube of the clock.
  Watts memory;   // Does not follow it: memory keeps its own clock.
};

struct PowerModel {
  Watts limit;
  Watts idle;
  Seconds window;  // Time constant of the controller.
};

// The share of the full clock at which the load draws the limit; 1 when it never does, never
// below `kLowestClock`.
double sustained_clock(const PowerModel& power, const PowerDraw& draw);

// The mean share over the first `duration` of a load that starts from `burst`, the share at which
// the kernel tables were taken, and settles at the sustained one.
double mean_clock(const PowerModel& power, const PowerDraw& draw, double burst, Seconds duration);

// A part of a step that is repeated for long.
struct WorkPiece {
  Seconds duration;           // Time at `measured_clock`.
  double measured_clock = 1;  // Share of the full clock.
  double clock_bound = 0;     // Share of the duration that stretches as the clock falls.
  PowerDraw draw;

  Seconds at_clock(double clock) const {
    return duration * (1 - clock_bound + clock_bound * measured_clock / clock);
  }
};

// The share of the full clock at which the pieces together, with idle waiting between them, draw
// the limit; 1 when they never do.
double settled_clock(const PowerModel& power, std::span<const WorkPiece> pieces, Seconds waiting);

// The clock at which pieces ran that took their durations one after the other under the limit, with
// idle waiting between them; 1 where they never drew it.
double observed_clock(const PowerModel& power, std::span<const WorkPiece> pieces, Seconds waiting);

// The inverse: the draw at full clock of a load seen to settle at `share` of it under `power`.
PowerDraw draw_from_share(const PowerModel& power, Watts memory, double share);

inline constexpr double kLowestClock = 0.2;

}  // namespace loadfactor::cost
