// The calendar that time and money are counted in: a month is 730 hours, a year twelve months.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor {

inline constexpr Seconds kMinute = Seconds::from_base(60.0);
inline constexpr Seconds kHour = Seconds::from_base(3600.0);
inline constexpr Seconds kDay = kHour * 24.0;
inline constexpr Seconds kWeek = kDay * 7.0;
inline constexpr Seconds kMonth = kHour * 730.0;
inline constexpr Seconds kYear = kHour * 8760.0;

}  // namespace loadfactor
