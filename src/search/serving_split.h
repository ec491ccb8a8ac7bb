// Prompts and answers in pools of their own, as candidates of a search.
#pragma once

#include <vector>

#include "search/serving_sizing.h"

namespace loadfactor::search {

// For each chip and precision the cheapest pool of prompts with every layout of answers. Pools
// are sized each by its own rate, so that the choices do not depend on each other.
std::vector<SizedDeployment> enumerate_splits(const SizingProblem& problem, const Weeks& weeks,
                                              SizingAnswer& answer);

}  // namespace loadfactor::search
