// Several models on one pool of GPUs: their rules, their requests and their answers put together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loadfactor/serve.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

using SimulateSetups = std::vector<std::unique_ptr<SimulateSetup>>;

// Makes the demands of several models last equally long: as long as a recorded one, or as
// `requests` of all of them together take, or as the shortest. One model alone stays as it is.
void share_duration(const SimulateSetups& setups, std::int64_t requests);

// The groups of all models one after the other; `limits.gpus` bounds the pool.
serving::ClusterRules pool_rules(const SimulateSetups& setups);
std::unique_ptr<sim::ArrivalStream> pool_stream(const SimulateSetups& setups);

// What all models together make of the pool, from their answers.
SimulateAnswer describe_pool(const SimulateSetups& setups, const serving::SimulationResult& result,
                             std::vector<SimulateAnswer> models);

}  // namespace loadfactor::engine
