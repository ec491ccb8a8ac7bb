#pragma once

namespace loadfactor::search {

// Demand is looked at week by week, in windows of ten minutes.
inline constexpr double kWeekSeconds = 7 * 86400;
inline constexpr double kWindowSeconds = 600;

}  // namespace loadfactor::search
