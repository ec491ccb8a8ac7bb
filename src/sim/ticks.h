// Simulated time: whole picoseconds in 64 bits, 106 days in all.
//
// Times are integers so that k steps summed in closed form are the same number as k steps added
// one by one, on every machine. A duration becomes an integer once, when a table is built.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "loadfactor/quantity.h"

namespace loadfactor::sim {

using Ticks = std::int64_t;

inline constexpr Ticks kNever = std::numeric_limits<Ticks>::max();
inline constexpr Ticks kNanosecond = 1'000;
inline constexpr Ticks kMicrosecond = 1'000'000;
inline constexpr Ticks kMillisecond = 1'000'000'000;
inline constexpr Ticks kSecond = 1'000'000'000'000;
inline constexpr Ticks kHour = 3'600 * kSecond;

// Rounded to the nearest tick.
inline Ticks ticks_of(Seconds time) {
  return static_cast<Ticks>(std::llround(time.base() * static_cast<double>(kSecond)));
}

constexpr Seconds seconds_of(Ticks time) {
  return Seconds::from_base(static_cast<double>(time) / static_cast<double>(kSecond));
}

}  // namespace loadfactor::sim
