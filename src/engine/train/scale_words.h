// What a curve says in a sentence, and what its figures rest on.
#pragma once

#include <optional>
#include <string>

#include "loadfactor/search.h"

namespace loadfactor::engine {

// How far it scales, which size is the cheapest and which the fastest, and what binds the largest;
// `line` is the efficiency that is asked.
std::string curve_words(const ScaleCurve& curve, double line);

// Where efficiencies are above 100 % because the smallest size keeps state on the host.
std::optional<Notice> note_slow_baseline(const ScaleCurve& curve);

}  // namespace loadfactor::engine
