// Changes of a service as the `--set` that makes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

// The traffic times `factor`: `serve.demand.requests_per_month=14.4e6` in the period that the
// scenario writes, or `serve.demand.scale=1.5` of a trace. Nothing where there is no traffic.
std::optional<config::Edit> traffic_edit(const PlanInputs& question, double factor);

// What gives way, as far as one key says it; nothing where none does.
std::optional<config::Edit> relaxation_edit(const PlanInputs& question, const RelaxRow& row);

// A run as another one: its chip, its layout, and as many GPUs allowed as it takes. `gpus` of the
// layout stands only where the scenario says so many are there.
struct RunChange {
  std::vector<config::Edit> edits;
  std::vector<std::string> sets;  // The same as arguments of `--set`.
};
RunChange run_change(const config::Scenario& scenario, const TrainAnswer& run);

}  // namespace loadfactor::engine
