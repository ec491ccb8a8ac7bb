#include "engine/plan/plan_replan.h"

#include <algorithm>
#include <variant>

#include "base/calendar.h"
#include "engine/plan/plan_api.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_levers.h"
#include "engine/plan/plan_limits.h"
#include "search/fleet_memory.h"

namespace loadfactor::engine {

Replanner::Replanner(const Core& engine, const PlanInputs& question)
    : engine_(engine), question_(question) {
  constexpr std::int64_t kFewDraws = 64;
  config::Scenario scenario = question.as_written();
  if (scenario.train && !question.scenario().train) scenario = scenario.with({{"train"}});
  if (scenario.serve && !question.scenario().serve) scenario = scenario.with({{"serve"}});
  question_.serving.scenario = std::move(scenario);
  question_.serving.progress = {};
  question_.written = std::nullopt;
  question_.draws = std::min(question.draws, kFewDraws);
  question_.levers = false;
}

std::optional<PlanAnswer> Replanner::with(const std::vector<config::Edit>& edits) const {
  PlanInputs changed = question_;
  changed.memory = std::make_shared<search::FleetMemory>();
  return plan(std::move(changed), edits);
}

std::optional<PlanAnswer> Replanner::at_traffic(const config::Edit& edit,
                                                const std::string& chip) const {
  std::vector<config::Edit> edits{edit};
  if (!chip.empty() && question_.scenario().hardware.size() > 1)
    edits.push_back({"hardware", std::vector<std::string>{chip}});
  return plan(question_, edits);
}

std::optional<PlanAnswer> Replanner::plan(PlanInputs changed,
                                          const std::vector<config::Edit>& edits) const {
  changed.serving.scenario = question_.serving.scenario.with(edits);
  Diagnostics unread;
  return make_plan(engine_, changed, unread);
}

std::optional<PlanOption> Replanner::api_alone(const config::Edit& edit) const {
  PlanInputs changed = question_;
  changed.serving.scenario = question_.serving.scenario.with({edit});
  const PlanAnswer answer = plan_api_alone(engine_, changed);
  if (answer.options.empty() || broken_budget(changed, answer)) return std::nullopt;
  return answer.options[0];
}

PlanOutcome outcome_of(const PlanAnswer& plan) {
  PlanOutcome out{.decision = plan.decision, .load_factor = {}, .per_month = {}, .cost = {}};
  const bool by_api = uses_api(plan);
  if (!by_api && plan.machine) out.gpus = plan.machine->layout.gpus;
  if (!by_api && plan.load_factor) out.load_factor = plan.load_factor;
  if (plan.options.empty()) return out;
  out.cost = plan.options[0].estimate();
  const bool is_run = plan.is_training && plan.duration;
  out.per_month = plan.options[0].estimate(is_run ? kMonth / plan.duration->value() : 1);
  return out;
}

ServiceOutcome service_outcome_of(const PlanAnswer& plan) {
  ServiceOutcome out{.decision = plan.decision};
  if (const PlanOption* api = cheapest_api(plan)) {
    out.api = api->amount;
    out.seller = api->cost.name.of;
  }
  const bool is_beyond = std::any_of(
      plan.broken.begin(), plan.broken.end(),
      [](const BrokenLimit& broken) { return !std::holds_alternative<TooSmallBudget>(broken); });
  if (is_beyond || !plan.machine) return out;
  out.working_gpus = out.fewest_gpus = plan.machine->layout.gpus;
  const PlanOption* machines = cheapest_machines(plan);
  if (machines == nullptr) return out;
  out.machines = machines->machines();
  out.per_month = machines->amount;
  if (plan.load_factor) out.load_factor = plan.load_factor->value();
  return out;
}

}  // namespace loadfactor::engine
