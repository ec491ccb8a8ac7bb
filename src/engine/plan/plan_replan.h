// The plan of a scenario with something changed: what levers and flips announce is what it says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/plan/plan.h"

namespace loadfactor::engine {

class Replanner {
 public:
  // The question as it was written, or that part of it (the service, the run) which is planned.
  Replanner(const Core& engine, const PlanInputs& question);

  // Without levers of its own, and with few draws: its middle figures are those of `plan`. Nothing
  // where the changed scenario has errors.
  std::optional<PlanAnswer> with(const std::vector<config::Edit>& edits) const;
  // The same where the edit changes how much comes and nothing else: fleets that were simulated
  // already need not be again. With a chip: of its machines alone.
  std::optional<PlanAnswer> at_traffic(const config::Edit& edit,
                                       const std::string& chip = {}) const;
  // What the API alone asks for the work in a month; nothing where none sells it within the budget.
  std::optional<PlanOption> api_alone(const config::Edit& edit) const;

 private:
  std::optional<PlanAnswer> plan(PlanInputs changed, const std::vector<config::Edit>& edits) const;

  const Core& engine_;
  PlanInputs question_;
};

// Decision and cost of a plan.
PlanOutcome outcome_of(const PlanAnswer& plan);
// The same of a service, machines and API side by side.
ServiceOutcome service_outcome_of(const PlanAnswer& plan);

}  // namespace loadfactor::engine
