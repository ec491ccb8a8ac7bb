// Uneven routing as so many ranks can have it.
#pragma once

#include "training/job/job.h"

namespace loadfactor::training {

// One rank never has more than all there is, and one that holds every expert has its own tokens.
ExpertRouting over_ranks(const ExpertRouting& routing, int ranks);

}  // namespace loadfactor::training
