// Which stack and which precision a scenario means, and whose constants its chip has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

// Sets the stack of the job; LF506 for a framework nobody knows.
void choose_stack(TrainSetup& setup, Diagnostics& diagnostics);

// The stacks that a scenario without one gets, on this chip or on another with its software, and
// that are not the job's.
std::vector<std::string> other_usual_stacks(const TrainSetup& setup);

// LF105 where nothing trains in it, without a place; nothing where it is known.
std::optional<Error> unknown_precision(const std::string& word);

// Sets the precision of the job; LF105 for a word that is none.
void choose_precision(TrainSetup& setup, Diagnostics& diagnostics);
// Tiers and transport of the network between nodes, where the scenario names them.
void choose_network(TrainSetup& setup, Diagnostics& diagnostics);

// The chip's own constants, else those of a relative: nullptr where no chip of its family was
// studied. Cards with GDDR and accelerators with HBM of one family are different silicon: their
// matrix units stand beside many or few vector units, and their power is spent otherwise. Where the
// studied relatives have another kind of memory than the chip, a studied chip with its kind of
// memory that runs the same kernels stands in.
const training::ChipConstants* constants_of(const catalog::Catalog& catalog,
                                            const training::Calibration& calibration,
                                            const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::engine
