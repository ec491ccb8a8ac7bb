// From the step model to a table of step times: evaluated once per deployment, then only read.
#pragma once

#include <cstdint>

#include "serving/constants.h"
#include "serving/step.h"
#include "sim/step_table.h"

namespace loadfactor::serving {

// Decode steps are the model's own at eight mean contexts for every number of sequences and
// linear between them. A mixed step is exact for one whole prompt alone; beside other work its
// parts add up: dense layers by tokens, head and host by sequences, attention of decodes by
// their context, attention of prompts by the area they span.
// Every time is multiplied by `pace`.
sim::StepTable tabulate_steps(const StepModel& model, const Constants& constants, int max_seqs,
                              int max_tokens, double pace = 1);

}  // namespace loadfactor::serving
