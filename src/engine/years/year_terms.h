// Prices over the years, books and taxes of a plan, as the scenario states them or as they usually
// are.
#pragma once

#include "economics/years.h"
#include "engine/plan/plan_changes.h"
#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// What was taken as usual goes into the answer.
economics::YearTerms year_terms(CostSetup& setup, const config::Growth& growth, int months,
                                PlanYears& answer);

}  // namespace loadfactor::engine
