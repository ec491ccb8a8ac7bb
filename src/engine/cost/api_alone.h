// What the API asks for a service that no machines serve.
#pragma once

#include "loadfactor/cost.h"
#include "loadfactor/result.h"

namespace loadfactor::engine {

// The same question with the API as the only way to pay. The work is the demand itself.
CostInputs api_alone(CostInputs asked, const KnownDemand& demand);

// Whether this says that no machines do the work, and not that the question is wrong.
bool leaves_the_api(const Error& refusal);

}  // namespace loadfactor::engine
