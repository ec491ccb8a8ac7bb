// Simulated time: whole picoseconds in 64 bits, 106 days in all, of which 100 are simulated.
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
// Nothing arrives or starts later; what has started by then still ends inside 64 bits.
inline constexpr Ticks kHorizon = kHour * 24 * 100;

// Rounded to the nearest tick; kNever where 64 bits do not reach.
inline Ticks ticks_of(Seconds time) {
  const double ticks = time.base() * static_cast<double>(kSecond);
  if (ticks >= static_cast<double>(kNever)) return kNever;
  return static_cast<Ticks>(std::llround(ticks));
}

constexpr Ticks ticks_of_nanoseconds(std::int64_t time) {
  return time < kNever / kNanosecond ? time * kNanosecond : kNever;
}

// The instant `span` after `now`, neither of them negative; kNever where 64 bits do not reach.
constexpr Ticks later(Ticks now, Ticks span) {
  return span < kNever - now ? now + span : kNever;
}

// The whole part of `span / parts`, neither of them negative, `parts` at least 1. A processor
// divides floating-point numbers several times faster than integers of 64 bits.
constexpr Ticks quotient(Ticks span, std::int32_t parts) {
  constexpr Ticks kExact = Ticks{1} << 53;  // Below, a double holds every integer.
  if (span >= kExact) return span / parts;
  const auto rounded = static_cast<Ticks>(static_cast<double>(span) / static_cast<double>(parts));
  return rounded * parts > span ? rounded - 1 : rounded;
}

constexpr Seconds seconds_of(Ticks time) {
  return Seconds::from_base(static_cast<double>(time) / static_cast<double>(kSecond));
}

}  // namespace loadfactor::sim
