// Pictures of a week in text: a heat map of 7 × 24 hours and a line of any length.
#pragma once

#include <span>
#include <string>

#include "demand/describe/characterise.h"

namespace loadfactor::report {

// One row a day, one column an hour, shaded from ` ` for nothing to `█` for `full`; `·` where
// nothing is known. `full` is the value of a full block; 0 takes the largest.
std::string heat_map(const demand::WeekProfile& week, double full = 0);

// The series as a sparkline of at most `width` columns, each the mean of what it covers.
std::string series_line(std::span<const double> series, int width);

}  // namespace loadfactor::report
