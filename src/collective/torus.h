// Collectives over tori, as TPU pods wire them.
#pragma once

#include <array>

#include "collective/estimate.h"

namespace loadfactor::collective {

// The sides of the smallest box of `axes` axes that holds `ranks`: as even as powers of two allow.
std::array<int, 3> torus_sides(int ranks, int axes);

// Rings run along every axis that the group spans, in both directions, each with its share of the
// bytes. An all-to-all is bound by the middle of the longest axis.
CollectiveTime torus_time(Operation operation, Bytes bytes, int ranks, const Domain& domain);

}  // namespace loadfactor::collective
