// What a scenario limits: machines within it where there are any, and what comes nearest where
// there are none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// As they were written.
config::ScenarioLimits limits_of(const PlanInputs& question);

struct LimitedSearch {
  PlanInputs question;              // Without the limits that nothing keeps.
  std::optional<SizeAnswer> found;  // Deployments for it.
  std::vector<BrokenLimit> broken;  // Empty: what was found is within all limits.
  std::vector<RunnerUp> excluded;   // Accelerators that a limit of power rules out.
};

// Sizes a service within `limits.gpus`, `limits.site_power` and `limits.rack_power`; where nothing
// is within them, without them. Nothing is found, with the reasons, where limits are not to blame.
LimitedSearch search_within(const Core& engine, const PlanInputs& question,
                            Diagnostics& diagnostics);

// `limits.budget` of a service is money by the month: what the cheapest way to pay breaks of it.
std::optional<TooSmallBudget> broken_budget(const PlanInputs& question, const PlanAnswer& answer);

// The verdict where limits are broken: the API where it is an option within the budget; else not
// feasible, and what is nearest. Otherwise says where a limit is close.
void apply_limits(const Core& engine, const LimitedSearch& search, PlanAnswer& answer);

}  // namespace loadfactor::engine
