// Changes of a service as the `--set` that makes them.
#pragma once

#include <optional>
#include <string>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

// The traffic times `factor`: `serve.demand.requests_per_month=14.4e6` in the period that the
// scenario writes, or `serve.demand.scale=1.5` of a trace. Empty where there is no traffic.
std::string traffic_edit(const PlanInputs& question, double factor);

// What gives way, as far as one key says it; empty where none does.
std::string relaxation_edit(const PlanInputs& question, const RelaxRow& row);

// `hardware=[h100-sxm]`.
std::string hardware_edit(const std::string& accelerator);

}  // namespace loadfactor::engine
