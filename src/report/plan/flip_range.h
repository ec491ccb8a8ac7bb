// How well it is known where a decision flips.
#pragma once

#include "engine/plan/plan.h"

namespace loadfactor::report {

// Where a flip lies, as far from known as what moves it: the ratio of what machines and the API
// cost, or, between machines alone, how full those of today are.
EstimateOf<double> range_of(const engine::PlanFlip& flip, const engine::PlanAnswer& answer);

}  // namespace loadfactor::report
