// Which stack and which precision a scenario means.
#pragma once

#include "engine/train_setup.h"

namespace loadfactor::engine {

// Sets the stack of the job; LF506 for a framework nobody knows.
void choose_stack(TrainSetup& setup, Diagnostics& diagnostics);

// Sets the precision of the job; LF105 for a word that is none.
void choose_precision(TrainSetup& setup, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
