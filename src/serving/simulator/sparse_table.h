// Tables of step times where hundreds of deployments are looked at once.
#pragma once

#include "serving/constants.h"
#include "serving/step.h"
#include "sim/step_table.h"

namespace loadfactor::serving {

// As tabulate_steps (tabulate.h), but the model is asked at every count up to 32 and at sixteen
// counts of each octave beyond, with straight lines between them: within a percent in the mean, and
// a few where attention needs another wave.
sim::StepTable tabulate_sparsely(const StepModel& model, const Constants& constants, int max_seqs,
                                 int max_tokens, double pace = 1);

}  // namespace loadfactor::serving
