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

double settled_clock(const PowerModel& power, std::span<const WorkPiece> pieces, Seconds waiting) {
  // What is drawn above the limit, in joules; it grows with the clock.
  const auto excess = [&](double clock) {
    Joules sum = (power.idle - power.limit) * waiting;
    for (const WorkPiece& piece : pieces) {
      const Watts drawn =
          power.idle + piece.draw.memory + piece.draw.compute * (clock * clock * clock);
      sum += (drawn - power.limit) * piece.at_clock(clock);
    }
    return sum;
  };
  if (excess(1.0) <= Joules{}) return 1.0;
  double low = kLowestClock;
  double high = 1.0;
  constexpr int kRounds = 16;
  for (int round = 0; round < kRounds; ++round) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > Joules{} ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

double observed_clock(const PowerModel& power, std::span<const WorkPiece> pieces, Seconds waiting) {
  const Watts most = power.limit - power.idle;
  Joules left = most * waiting, wanted;
  for (const WorkPiece& piece : pieces) {
    left += (most - piece.draw.memory) * piece.duration;
    wanted += piece.draw.compute * piece.duration;
  }
  if (wanted <= left) return 1.0;
  return std::max(kLowestClock, std::cbrt(std::max(0.0, left / wanted)));
}

PowerDraw draw_from_share(const PowerModel& power, Watts memory, double share) {
  return {(power.limit - power.idle - memory) / (share * share * share), memory};
}

}  // namespace loadfactor::cost
