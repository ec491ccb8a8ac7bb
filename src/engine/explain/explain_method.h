// A step of post-training as the sum of its phases, and a run as so many of those steps.
#pragma once

#include <optional>
#include <vector>

#include "engine/explain/explain.h"

namespace loadfactor::engine {

// The phases that a step waits for, one after the other; `parts` are the rows of the trainer's.
// Phases that are hidden behind longer ones are left out: they add nothing.
ExplainNode method_step_node(const PlanAnswer& answer, const std::vector<ExplainNode>& parts);

// All steps, over the share of the paid time that advances them. The number of steps must be known.
ExplainNode method_duration_node(const PlanAnswer& answer, ExplainNode step,
                                 std::optional<ExplainNode> share);

}  // namespace loadfactor::engine
