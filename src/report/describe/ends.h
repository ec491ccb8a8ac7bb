// Intervals of figures that are computed from others: what a figure is with each uncertain input at
// its ends.
#pragma once

#include <utility>
#include <vector>

#include "loadfactor/value.h"

namespace loadfactor::report {

// The answer, in which every figure without a width has the one that the inputs give it. `ends` are
// the answers with each input at its low and then at its high end; how far the inputs move a figure
// are independent errors. A row of a list is compared with the row of the same names.
Value with_widths(Value answer, const std::vector<Value>& ends);

// The same for an answer that brings its ends.
template <typename Answer>
Value with_widths(Value described, const Answer& answer, Value (*describe)(const Answer&)) {
  std::vector<Value> ends;
  for (const Answer& end : answer.ends) ends.push_back(describe(end));
  return with_widths(std::move(described), ends);
}

}  // namespace loadfactor::report
