// Intervals of figures that are computed from others: what a figure is with each uncertain input at
// its ends.
#pragma once

#include <vector>

#include "loadfactor/value.h"

namespace loadfactor::report {

// The answer with each of several inputs at its low and at its high end.
struct AtEnds {
  Value low;
  Value high;
};

// The answer, in which every figure without a width has the one that the inputs give it. How far
// the inputs move it are independent errors: they add as a root of squares. A row of a list is
// compared with the row of the same names.
Value with_widths(Value answer, const std::vector<AtEnds>& inputs);

}  // namespace loadfactor::report
