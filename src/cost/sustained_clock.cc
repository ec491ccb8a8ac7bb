#include "cost/sustained_clock.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::cost {

double sustained_clock(const PowerModel& power, const PowerDraw& draw) {
  const Watts allowed = power.limit - power.idle - draw.memory;
  if (draw.compute <= allowed || draw.compute <= Watts{}) return 1.0;
  return std::max(kLowestClock, std::cbrt(std::max(0.0, allowed / draw.compute)));
}

double mean_clock(const PowerModel& power, const PowerDraw& draw, double burst, Seconds duration) {
  const double settled = std::min(burst, sustained_clock(power, draw));
  if (duration <= Seconds{} || power.window <= Seconds{}) return burst;
  const double windows = duration / power.window;
  // The mean of settled + (burst - settled) · exp(-t / window) over the duration.
  return settled + (burst - settled) * -std::expm1(-windows) / windows;
}

PowerDraw draw_from_share(const PowerModel& power, Watts memory, double share) {
  return {(power.limit - power.idle - memory) / (share * share * share), memory};
}

}  // namespace loadfactor::cost
