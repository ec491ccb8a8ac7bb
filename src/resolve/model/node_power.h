// What a GPU draws at the wall of its node, and what limits of power say against a number of them.
#pragma once

#include <optional>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/scenario.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

struct GpuPower {
  Watts typical;  // Under load, with its share of the node.
  Watts most;
};
// A GPU's share of its node; without one, its rating with the overhead of a median node.
GpuPower gpu_power(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip);

// The chip alone, in steps for a share of the time and idle for the rest. Steps draw three
// quarters of the rated power, between half (decodes that wait for memory) and all of it.
EstimateOf<Watts> drawn_power(const catalog::AcceleratorSpec& chip, double running);

// The figures of an objection, as the texts of notices name them.
std::vector<Notice::Argument> arguments_of(const PowerObjection& objection);

// What `limits.site_power` and `limits.rack_power` say against so many GPUs; nothing where they are
// kept. `spares` are among the GPUs.
std::optional<PowerObjection> power_objection(const catalog::Catalog& catalog,
                                              const catalog::AcceleratorSpec& chip, double gpus,
                                              const config::ScenarioLimits& limits,
                                              double spares = 0);

}  // namespace loadfactor::engine
