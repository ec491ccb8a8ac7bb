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

// A search for the soonest run has its days by the way to pay that ends soonest, and a plan has the
// cost of the cheapest. Goodput, days, cost and what is said of them are made those of the cheapest
// way that keeps deadline and budget, as `train` has them for this layout.
void pay_cheapest(const Core& engine, const TrainInputs& request, TrainAnswer& train);

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
