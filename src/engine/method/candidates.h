// Runs with phases beside the training, on every candidate and size, as a search of plain runs has
// them.
#pragma once

#include <optional>

#include "engine/method/method.h"
#include "loadfactor/search.h"

namespace loadfactor::engine {

// The trainer's answer with the GPUs, the tokens per second, the time and the money of the whole.
TrainAnswer whole_run(TrainAnswer train);

// The run of the candidate of `hardware` that a search ranks first, as `train_by_method` answers
// it.
std::optional<TrainAnswer> best_candidate(const Core& core, const MethodInputs& inputs,
                                          Diagnostics& diagnostics);

// The best way to share the GPUs of each candidate and size, each as a run of all its GPUs: those
// that are in time first, then by cost where a deadline is written and by time otherwise. Nothing,
// and the reasons, where the scenario has errors or nothing fits.
std::optional<loadfactor::SearchAnswer> search_by_method(const Core& core,
                                                         const MethodInputs& inputs,
                                                         Diagnostics& diagnostics);

}  // namespace loadfactor::engine
