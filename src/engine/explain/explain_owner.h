// What one owned GPU costs, as a tree.
#pragma once

#include "engine/explain/explain.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// Owned and idle, per time.
ExplainNode explain_owned_gpu(const PlanAnswer& answer, const CostSetup& setup);
// The energy of that share of what work draws.
ExplainNode explain_gpu_energy(const PlanAnswer& answer, const CostSetup& setup, double share);

}  // namespace loadfactor::engine
