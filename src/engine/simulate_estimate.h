// Figures of a simulation with the intervals that predictions have had.
#pragma once

#include <cmath>

#include "engine/simulate_setup.h"
#include "loadfactor/estimate.h"
#include "loadfactor/serve.h"
#include "serving/calibration_file.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

template <typename Q>
EstimateOf<Q> with_interval(Q value, serving::Metric metric, const SimulateSetup& setup) {
  const auto width = setup.calibration.interval(metric, {});
  return {value, value * std::exp(width.low), value * std::exp(width.high), Basis::kCalibrated,
          "serving model"};
}

// The state over time and the steps.
void add_points(const SimulateSetup& setup, const serving::SimulationResult& result,
                SimulateAnswer& answer);

}  // namespace loadfactor::engine
