// The fewest GPUs on which a model can be served at all.
#pragma once

#include <cstdint>
#include <optional>

#include "serving/memory.h"
#include "workload/sharding.h"

namespace loadfactor::engine {

using serving::DeploymentMemory;
using serving::ServingSetup;

struct Found {
  workload::Sharding sharding;
  std::int64_t sequences = 0;

  int gpus() const { return sharding.tp * sharding.pp; }
};

// The legal (tp, pp) of exactly `gpus` with the widest tp that holds a sequence: tensor parallelism
// stays inside the scale-up domain (or a node of eight where there is no domain), the pipeline
// takes the rest. Nothing if no split is legal; `sequences` is 0 if no split holds one.
std::optional<Found> best_split(const ServingSetup& setup, int gpus, std::int64_t tokens);

// The fewest GPUs that hold one sequence of `tokens`, up to `limit`: any number inside one scale-up
// domain, whole domains beyond it. Nothing if none do.
std::optional<Found> smallest_deployment(const ServingSetup& setup, std::int64_t tokens, int limit);

}  // namespace loadfactor::engine
