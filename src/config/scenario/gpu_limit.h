// How many GPUs of `limits.gpus` a run can use.
#pragma once

#include <vector>

#include "loadfactor/scenario.h"

namespace loadfactor::config {

// Numbers of GPUs, within `most`, that the written batch can be split over, the largest first:
// copies of the model divide the batch, and the rest of a layout comes in powers of two. Where no
// batch is written: powers of two, and `most` with its halves.
std::vector<int> sizes_of_run(const Scenario& scenario, int most);

// The largest of these.
int most_gpus_of_run(const Scenario& scenario, int most);

}  // namespace loadfactor::config
