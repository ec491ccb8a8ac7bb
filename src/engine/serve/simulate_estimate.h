// Figures of a simulation with the intervals that predictions have had.
#pragma once

#include <cmath>

#include "loadfactor/estimate.h"
#include "loadfactor/serve.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/calibration_file.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

// The interval of the class of deployments that the last pool belongs to.
inline serving::IntervalWidth interval_of(serving::Metric metric, const SimulateSetup& setup) {
  if (setup.pools.empty()) return setup.calibration().interval(metric, {}, setup.traits);
  return setup.calibration().simulated_interval(metric, setup.pools.back()->plan.step->deployment(),
                                                serving::LoadKind::kOpenLoop);
}

template <typename Q>
EstimateOf<Q> with_interval(Q value, serving::Metric metric, const SimulateSetup& setup) {
  const auto width = interval_of(metric, setup);
  return {value, value * std::exp(width.low), value * std::exp(width.high), Basis::kCalibrated,
          "serving model"};
}

// The state over time and the steps.
void add_points(const SimulateSetup& setup, const serving::SimulationResult& result,
                SimulateAnswer& answer);

}  // namespace loadfactor::engine
