// What limits a simulated deployment.
#pragma once

#include "loadfactor/serve.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

// Needs the verdicts, counts and rates of the answer. `peak` is the work of the busiest ten minutes
// as a share of what the replicas paid for deliver when never idle.
SimulateBinding find_binding(const SimulateSetup& setup, const serving::SimulationResult& result,
                             double peak, const SimulateAnswer& answer);

}  // namespace loadfactor::engine
