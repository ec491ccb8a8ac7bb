// The prediction of a step, sorted into the classes that a profiler can see.
#pragma once

#include <optional>
#include <string>

#include "calibrate/profile/work_class.h"
#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "loadfactor/serve.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// The classes sum to the answer's step. Recomputation and the head are told apart by what they run.
// Nothing where the scenario cannot be resolved.
std::optional<calibrate::WorkTimes> predicted_work(const catalog::Catalog& catalog,
                                                   const TrainInputs& request,
                                                   const TrainAnswer& answer,
                                                   Diagnostics& diagnostics);

// One step of a service that decodes and one that computes a prompt.
struct ServingWork {
  std::string chip;      // Catalogue name.
  double sequences = 0;  // Sequences of the step that decodes,
  double context = 0;    // and their mean length.
  double prompt = 0;     // Tokens of the other.
  calibrate::WorkTimes decode_step;
  calibrate::WorkTimes prompt_step;
};

// For as many sequences as one replica runs at a time: the scenario's `max_seqs`, or as many as
// fit.
std::optional<ServingWork> predicted_work(const catalog::Catalog& catalog,
                                          const ServeInputs& request, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
