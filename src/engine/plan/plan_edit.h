// Changes of a service as the `--set` that makes them.
#pragma once

#include <optional>
#include <string>

#include "engine/fill/serve_search.h"
#include "engine/plan/plan.h"

namespace loadfactor::engine {

// `serve.demand={requests_per_second: 4.5, …}`: the traffic times `factor`, whatever period the
// scenario writes it in. Empty where no key sets it, as where a trace does.
std::string traffic_edit(const PlanQuestion& question, double factor);

// What gives way, as far as one key says it; empty where none does.
std::string relaxation_edit(const PlanQuestion& question, const RelaxRow& row);

// `hardware=[h100-sxm]`.
std::string hardware_edit(const std::string& accelerator);

}  // namespace loadfactor::engine
