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

}  // namespace loadfactor::engine
