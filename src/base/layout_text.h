// Layouts as people write them.
#pragma once

#include <string>

#include "loadfactor/fit.h"

namespace loadfactor {

// `tp 4 × pp 2 × dp 8 × cp 2`: what multiplies to the GPUs; ep divides dp, and stands behind.
std::string parallel_text(const TrainLayout& layout);

}  // namespace loadfactor
