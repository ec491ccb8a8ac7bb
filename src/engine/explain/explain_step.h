// The parts of a training step down to products, bytes, rates and what those were fitted to.
#pragma once

#include <vector>

#include "engine/explain/explain.h"

namespace loadfactor::engine {

// One tree for each part of the step of this answer that the model can take apart, named by its
// key. The run is resolved again in the very layout of the answer; a part that then comes out
// otherwise (what is beside the trainer, say) is left out.
std::vector<ExplainNode> explain_step_parts(const Core& engine, const PlanInputs& question,
                                            const PlanAnswer& answer);

// Why this tp: the step of the run with every other that is legal, or what it lacks of memory.
// Nothing where the scenario writes it.
std::optional<ExplainNode> explain_training_tp(const Core& engine, const PlanInputs& question,
                                               const PlanAnswer& answer);

}  // namespace loadfactor::engine
