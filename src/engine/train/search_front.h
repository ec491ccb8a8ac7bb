// Plans that nothing beats in all of days, dollars, GPUs, power and memory headroom at once.
#pragma once

#include <vector>

#include "loadfactor/search.h"

namespace loadfactor::engine {

// The plans that none beats in all, in their order; each says what it is the best in.
std::vector<SearchPlan> pareto_front(const std::vector<SearchPlan>& plans);

}  // namespace loadfactor::engine
