// From what the simulator counted to what the answer says.
#pragma once

#include "engine/simulate_setup.h"
#include "loadfactor/serve.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

SimulateAnswer describe_simulation(const SimulateSetup& setup, const SimulateRequest& request,
                                   const serving::SimulationResult& result);

// Load factor, losses and what binds; needs the rates of the answer.
void add_load(const SimulateSetup& setup, const serving::SimulationResult& result,
              SimulateAnswer& answer);

}  // namespace loadfactor::engine
