// From what the simulator counted to what the answer says.
#pragma once

#include <optional>

#include "loadfactor/serve.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

SimulateAnswer describe_simulation(const SimulateSetup& setup, const SimulateInputs& request,
                                   const serving::SimulationResult& result);

// Its parts, which hold for several models on one pool as well. The rates need the answer's
// duration and its numbers of replicas and GPUs.
void describe_counts(const serving::SimulationResult& result, SimulateAnswer& answer);
void describe_latencies(const SimulateSetup& setup, const serving::SimulationResult& result,
                        SimulateAnswer& answer);
void judge_slo(const SimulateSetup& setup, const serving::SimulationResult& result,
               SimulateAnswer& answer);
void describe_rates(const SimulateSetup& setup, const serving::SimulationResult& result,
                    SimulateAnswer& answer);

// Requests per second that one replica serves: when never idle, and within the SLO.
struct ReplicaRates {
  double saturated = 0;
  std::optional<double> within_slo;
};

// Load factor, losses and what binds; needs the rates of the answer.
void add_load(const SimulateSetup& setup, const serving::SimulationResult& result,
              const ReplicaRates& rates, SimulateAnswer& answer);

}  // namespace loadfactor::engine
