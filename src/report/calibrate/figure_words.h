// Figures of measurements as people read them.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/figure_text.h"

namespace loadfactor::report {

// Four figures, never as a power of ten: `331.7`, `22,000`.
inline std::string four_figures(double value) {
  constexpr double kWhole = 9999.5;  // From here on a count is clearer.
  return std::abs(value) < kWhole ? fmt::format("{:.4g}", value) : three_figures(value);
}

}  // namespace loadfactor::report
