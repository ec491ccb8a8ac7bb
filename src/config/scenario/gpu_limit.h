// How many GPUs of `limits.gpus` a run can use.
#pragma once

#include "loadfactor/scenario.h"

namespace loadfactor::config {

// The most GPUs, within `most`, that the written batch can be split over: copies of the model
// divide the batch, and the rest of a layout comes in powers of two. `most` where no batch is
// written.
int most_gpus_of_run(const Scenario& scenario, int most);

}  // namespace loadfactor::config
