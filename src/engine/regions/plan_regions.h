// Users in several regions: a fleet in each of them, or one place that serves all.
#pragma once

#include "engine/core.h"
#include "engine/plan/plan.h"
#include "loadfactor/result.h"

namespace loadfactor::engine {

// Whether all regions of `serve.regions` are known; says at their lines which are not.
bool check_regions(const Core& engine, const config::Scenario& scenario, Diagnostics& diagnostics);

// Adds to the plan of a service what its regions cost, where the scenario has any: by plans of the
// same scenario with a part of the traffic, and with a first token that is due earlier.
// Where years are asked, the fleet of each region is planned for them too.
void add_regions(const Core& engine, const PlanInputs& question, PlanAnswer& answer, int years = 0);

}  // namespace loadfactor::engine
