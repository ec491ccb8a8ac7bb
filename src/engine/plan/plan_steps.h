// How the step tables of a service and of a training run are made.
#pragma once

#include <optional>

#include "economics/evaluate.h"
#include "engine/plan/plan.h"
#include "engine/plan/serving_planner.h"
#include "engine/plan/step_table.h"

namespace loadfactor::engine {

// The fleets of other volumes, counted as flips are, and every way to pay for them.
StepTable steps_of_service(const Core& engine, const config::ScenarioLimits& limits,
                           const SizeAnswer& found, const ServingPlanner& planner);

// Nothing for a run without an end.
std::optional<StepTable> steps_of_run(const Core& engine, const PlanAnswer& answer);

// What the page shows beside the steps. False where nothing is bought part by part.
bool add_prices(const economics::CostCase& terms, StepTable& table);
// A rented GPU-hour, or an owned GPU installed; nothing for all else.
std::optional<Dollars> unit_price(const economics::CostCase& terms, OptionKind kind);

}  // namespace loadfactor::engine
