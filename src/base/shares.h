// Shares: of what machines can do at most, and how far from known one is that a sample shows.
#pragma once

#include <algorithm>
#include <cmath>

#include "loadfactor/estimate.h"

namespace loadfactor {

// How full machines are whose most is known so well; faster ones are emptier. What is below its
// most is not beyond it for being a little slower than predicted.
inline EstimateOf<double> load_share(double share, const EstimateOf<Hertz>& full) {
  const double most = std::max(1.0, share);
  const auto at = [&](Hertz rate) { return std::min(most, share * (full.value() / rate)); };
  return {share, at(full.high()), at(full.low()), full.basis(), full.source()};
}

struct ShareEnds {
  double low = 0;
  double high = 1;
};

// Of ten such intervals nine hold the share of an endless sample, where one of this size shows so
// much [Wilson 1927].
inline ShareEnds ends_of_share(double share, double size) {
  constexpr double kScore = 1.6448536269514722;
  if (size <= 0) return {};
  const double spread = kScore * kScore / size;
  const double middle = (share + spread / 2) / (1 + spread);
  const double half = std::sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace loadfactor
