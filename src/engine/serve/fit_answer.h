// The figures of a fit answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/fit.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/smallest_deployment.h"
#include "serving/memory.h"

namespace loadfactor::engine {

// One replica as answers show it.
ServeLayout layout_of(const workload::Sharding& sharding);

// Model, layout, memory and KV figures; counts of sequences are left to the caller.
FitAnswer describe(const FitSetup& setup, const DeploymentMemory& memory);

// Adds the facts that were used, and a notice for each that is only assumed.
void confess_assumptions(const FitSetup& setup, FitAnswer& answer);

}  // namespace loadfactor::engine
