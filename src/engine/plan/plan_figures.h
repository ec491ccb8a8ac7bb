// The figures of a plan that programs ask for, each with one meaning: `--gate`, `diff` and
// `explain` read them here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/plan/plan.h"

namespace loadfactor::engine {

// In base units (seconds for days). Nothing where the answer does not have it.
//   cost        of the cheapest way to have the work done, the API among them: a month, or the run
//   per_mtoken  of the same
//   gpus        to have: 0 where the API is used
//   load_factor, break_even  of the machines, also of those one would have instead of the API
std::optional<Estimate> figure_of(const PlanAnswer& answer, PlanFigure figure);

// The cheapest way to have machines: what is recommended, or weighed against the API. Nothing where
// no machine has a price.
const PlanOption* weighed_option(const PlanAnswer& answer);

// Whether the API does the work, and no machine is needed.
bool uses_api(const PlanAnswer& answer);

}  // namespace loadfactor::engine
