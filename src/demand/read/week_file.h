// How traffic moves over a week, from a file that somebody wrote or a monitor kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::demand {

// Factors of equal parts of a week from Monday, 0 h UTC, on, with a mean of 1: by the hour or
// finer. Either a rate profile with times, of a week or several that are laid over each other; or a
// CSV whose last column has one number for each hour (168 rows) or a whole fraction of it. LF532
// where it is neither.
Result<std::vector<double>> read_week(const std::string& file, std::string_view bytes);

}  // namespace loadfactor::demand
