// Which stack and which precision a scenario means.
#pragma once

#include <optional>
#include <string>

#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

// Sets the stack of the job; LF506 for a framework nobody knows.
void choose_stack(TrainSetup& setup, Diagnostics& diagnostics);

// LF105 where nothing trains in it, without a place; nothing where it is known.
std::optional<Error> unknown_precision(const std::string& word);

// Sets the precision of the job; LF105 for a word that is none.
void choose_precision(TrainSetup& setup, Diagnostics& diagnostics);
// Tiers and transport of the network between nodes, where the scenario names them.
void choose_network(TrainSetup& setup, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
