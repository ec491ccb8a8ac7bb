// The parts of a run's plan: what it costs, and what is nearest where nothing is within its limits.
#pragma once

#include <optional>
#include <string>

#include "engine/plan/plan.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// Every way to pay for a run. A commitment that outlasts it is charged to its end, except for owned
// machines of a fleet that is there already, which are charged for the run's share of their life.
void price_run(const Core& engine, const PlanInputs& question, const TrainAnswer& train,
               PlanAnswer& answer);

// The days, losses and goodput of a run are of the way to pay that its plan takes, which need not
// be the one that the search went by.
void pay_by_first_option(const Core& engine, const PlanInputs& question, TrainAnswer& train,
                         PlanAnswer& answer);

// The best run when the limits that leave nothing are lifted.
struct NearestRun {
  loadfactor::SearchAnswer found;
  BrokenLimit broken;
  // The budget alone is broken, as judged by the rent: another option may be within it.
  bool only_budget = false;
};
std::optional<NearestRun> nearest_run(const Core& engine, const SearchInputs& request,
                                      const config::Scenario& scenario);

}  // namespace loadfactor::engine
