// Time and money of a run as a whole: a failure of any of its GPUs stops all of them.
#pragma once

#include "catalog/catalog.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// Sets what failures leave of the paid time, the ways to pay and the limits that are missed, for a
// run whose method is described beside its trainer. `whole` is the trainer on all GPUs of the run.
void extend_to_the_run(const catalog::Catalog& catalog, const TrainInputs& whole,
                       TrainAnswer& answer);

}  // namespace loadfactor::engine
