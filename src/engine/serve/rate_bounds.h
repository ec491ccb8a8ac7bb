// Rates of what is served, between what arrives and what could be served.
#pragma once

#include <algorithm>

#include "loadfactor/estimate.h"

namespace loadfactor::engine {

// No more leaves than comes in, and no less while even a slow deployment keeps up.
struct RateBounds {
  double low = 0;   // What a slow one could serve, over the rate.
  double high = 1;  // What arrives, over the rate.

  template <typename Q>
  EstimateOf<Q> of(const EstimateOf<Q>& rate) const {
    const Q least = std::max(rate.low(), std::min(rate.value(), low * rate.value()));
    return {rate.value(), least, std::min(rate.high(), high * rate.value()), rate.basis(),
            rate.source()};
  }
};

// How full machines are whose most is known so well; faster ones are emptier. What is below its
// most is not beyond it for being a little slower than predicted.
inline EstimateOf<double> load_of(double share, const EstimateOf<Hertz>& full) {
  const double most = std::max(1.0, share);
  const auto at = [&](Hertz rate) { return std::min(most, share * (full.value() / rate)); };
  return {share, at(full.high()), at(full.low()), full.basis(), full.source()};
}

}  // namespace loadfactor::engine
