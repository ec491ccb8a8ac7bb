// The run as it is paid for, in words.
#pragma once

#include <string>

#include "loadfactor/train.h"

namespace loadfactor::report {

// `As paid for, 4,300 GPU-hours for a trillion tokens [2,300, 8,100], where the steady step says
// 3,400: …`.
std::string whole_run_words(const WholeRun& run);

}  // namespace loadfactor::report
