// A service down to the products of its steps, and why it has so many replicas of that shape.
#pragma once

#include <optional>

#include "engine/explain/explain.h"

namespace loadfactor::engine {

// tpot, ttft, replicas or tp of the deployment that a plan recommends. Nothing for any other
// quantity, and where the plan has no such service.
std::optional<ExplainNode> explain_planned_service(const Core& engine, const PlanInputs& question,
                                                   const PlanAnswer& answer, Explained quantity);

// What a token takes in a replica of that deployment which is never idle: a step of a full batch,
// and the prompts in between. `said` is the time that is explained.
std::optional<ExplainNode> explain_full_pace(const Core& engine, const PlanInputs& question,
                                             const PlanAnswer& answer, double sequences,
                                             Seconds said);

}  // namespace loadfactor::engine
