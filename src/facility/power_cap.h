// Power capping as a lever: a little less rate for a lot less power.
//
// Between an idle draw and the rating, rate goes as a power of the dynamic share of the draw:
// rate(cap) / rate = ((cap - idle) / (draw - idle))^γ. Dynamic power grows with about the cube of
// the clock, so γ ≈ 1/3 for work that the clock bounds and less for work that memory bounds.
#pragma once

#include <span>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

struct CapTerms {
  Watts uncapped;  // What the work draws without a cap, per GPU.
  Watts idle;
  double exponent = 1.0 / 3.0;
  Watts beside;  // The GPU's share of host, network and fans, not capped.
};

struct CappedPoint {
  Watts cap;
  double rate = 1;            // Of the uncapped rate.
  Watts power;                // With its share beside.
  double work_per_joule = 1;  // Of the uncapped one.
};

CappedPoint at_cap(const CapTerms& terms, Watts cap);

// The cap of most work per joule among some.
CappedPoint most_efficient(const CapTerms& terms, std::span<const Watts> caps);

// Measured caps: the γ that fits rates best, least squares on logarithms.
struct MeasuredCap {
  Watts power;
  double rate = 1;
};
double fit_exponent(std::span<const MeasuredCap> points, Watts idle);

}  // namespace loadfactor::facility
