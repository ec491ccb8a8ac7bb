// What the efficiencies of a curve rest on.
#pragma once

#include <optional>

#include "loadfactor/search.h"

namespace loadfactor::engine {

// Where efficiencies are above 100 % because the smallest size keeps state on the host.
std::optional<Notice> note_slow_baseline(const ScaleCurve& curve);

}  // namespace loadfactor::engine
