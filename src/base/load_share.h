// How full machines are, as far as it is known what they can do at most.
#pragma once

#include <algorithm>

#include "loadfactor/estimate.h"

namespace loadfactor {

// How full machines are whose most is known so well; faster ones are emptier. What is below its
// most is not beyond it for being a little slower than predicted.
inline EstimateOf<double> load_share(double share, const EstimateOf<Hertz>& full) {
  const double most = std::max(1.0, share);
  const auto at = [&](Hertz rate) { return std::min(most, share * (full.value() / rate)); };
  return {share, at(full.high()), at(full.low()), full.basis(), full.source()};
}

}  // namespace loadfactor
