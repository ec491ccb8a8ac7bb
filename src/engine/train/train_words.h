// Times and layouts of training runs, in words.
#pragma once

#include <string>

#include "loadfactor/quantity.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// Days; hours and minutes of what takes less than two, years of what takes more than three.
std::string days_text(Seconds time);

// `tp 4 × pp 2 × dp 8 × cp 2`: what multiplies to the GPUs; ep divides dp, and stands behind.
std::string parallel_words(const TrainLayout& layout);

}  // namespace loadfactor::engine
