// Hours of the week of stamps in nanoseconds.
#pragma once

#include <cstdint>

#include "demand/stamp.h"

namespace loadfactor::demand {

inline constexpr Nanoseconds kNanosecondsPerHour = kSecondsPerHour * kNanosecondsPerSecond;
inline constexpr std::int64_t kHoursOfWeek = 168;
// 1970-01-01, where calendars begin to count, was a Thursday.
inline constexpr std::int64_t kHoursFromMonday = 72;

constexpr double in_seconds(Nanoseconds time) {
  return static_cast<double>(time) * 1e-9;
}

}  // namespace loadfactor::demand
