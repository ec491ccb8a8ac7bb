// The smooth table of what a kernel's closed form leaves over.
#pragma once

#include <array>
#include <span>

#include "cost/correction_grid.h"

namespace loadfactor::calibrate {

struct CorrectionPoint {
  cost::GridPoint point;
  double log_ratio = 0.0;  // log(measured / predicted).
  double weight = 1.0;
};

// How fast a correction may fall along an axis, in its logarithm per octave, so that where the
// closed form grows, the corrected time does too.
struct Slope {
  double fall = 0.3;
};

// Weighted least squares on the nodes' hat functions, with a penalty on differences of neighbours
// that fills nodes no measurement reaches, and Student weights against outliers.
cost::CorrectionGrid fit_correction(std::span<const CorrectionPoint> points,
                                    const std::array<cost::GridAxis, 3>& axes,
                                    const std::array<Slope, 3>& slopes);

// The mean of the nearest tables above and below that fall no faster than allowed.
cost::CorrectionGrid limit_slopes(const cost::CorrectionGrid& grid,
                                  const std::array<Slope, 3>& slopes);

}  // namespace loadfactor::calibrate
