// What a GPU draws at the wall of its node, and what limits of power say against a number of them.
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

struct GpuPower {
  Watts typical;  // Under load, with its share of the node.
  Watts most;
};
// Of the chip's node; without one, the chip's rating with the overhead of a median node.
GpuPower gpu_power(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip);

// Of the chip alone, in steps for a share of the time and idle for the rest. Steps draw three
// quarters of the rated power, between half (decodes that wait for memory) and all of it.
EstimateOf<Watts> drawn_power(const catalog::AcceleratorSpec& chip, double running);

// What `limits.site_power` and `limits.rack_power` say against so many GPUs; empty if nothing.
// `spares` are among them.
std::string power_objection(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip,
                            double gpus, const config::ScenarioLimits& limits, double spares = 0);

}  // namespace loadfactor::engine
