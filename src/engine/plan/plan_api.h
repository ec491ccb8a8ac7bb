// A service by an API, with no machines weighed.
#pragma once

#include "engine/plan/plan.h"

namespace loadfactor::engine {

// The demand, and what the API asks for it: the only option, where it is asked for and sold.
PlanAnswer plan_api_alone(const Core& engine, const PlanInputs& question);

}  // namespace loadfactor::engine
