// The memory of a published run, as a device would report it.
#pragma once

#include <optional>

#include "loadfactor/quantity.h"
#include "validation/training/published_run.h"

namespace loadfactor::validation {

struct MemoryPrediction {
  Bytes used;  // What the fullest device uses.
  Bytes low;
  Bytes high;
};

// Nothing where the row says too little: its sequence and its batch must be stated.
std::optional<MemoryPrediction> predict_memory(const PublishedRun& run);

}  // namespace loadfactor::validation
