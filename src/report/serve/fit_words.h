// What fits on a GPU, in words.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/fit.h"

namespace loadfactor::report {

// `dense · 80 layers, 8 KV heads × 128`.
std::string architecture_words(const ModelOutline& model);
// How a line of the memory came about.
std::string memory_words(const FitAnswer& answer, MemoryUse use);
// Why it does not fit, with both numbers, and the nearest deployment that does.
std::string shortage_words(const FitAnswer& answer);
// The sums behind KV cache and sequences.
std::vector<std::string> sum_words(const FitAnswer& answer);

}  // namespace loadfactor::report
