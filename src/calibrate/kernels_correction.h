// The smooth table of what a kernel's closed form leaves over.
#pragma once

#include <array>
#include <span>

#include "cost/correction_grid.h"

namespace loadfactor::calibrate {

struct CorrectionPoint {
  cost::GridPoint point;
  double log_ratio = 0.0;  // Of measured over predicted.
  double weight = 1.0;
};

// Weighted least squares on the nodes' hat functions, with a penalty on differences of neighbours
// that fills nodes no measurement reaches, and Student weights against outliers.
cost::CorrectionGrid fit_correction(std::span<const CorrectionPoint> points,
                                    const std::array<cost::GridAxis, 3>& axes);

}  // namespace loadfactor::calibrate
