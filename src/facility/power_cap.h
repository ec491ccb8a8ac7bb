// Power capping as a lever: a little less rate for a lot less power.
//
// Between an idle draw and the rating, rate goes as a power of the dynamic share of the draw:
// rate(cap) / rate = ((cap - idle) / (draw - idle))^γ. Dynamic power grows with about the cube of
// the clock, so γ ≈ 1/3 for work that the clock bounds and less for work that memory bounds.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

struct CapTerms {
  Watts uncapped;  // What the work draws without a cap, per GPU.
  Watts idle;
  double exponent = 1.0 / 3.0;
  Watts rest_of_node;  // The GPU's share of host, network and fans, which no cap limits.
};

struct CappedPoint {
  Watts cap;
  double rate = 1;            // Share of the uncapped rate.
  Watts power;                // Draw of the GPU and its share of the rest of the node.
  double work_per_joule = 1;  // Work per joule over that without a cap.
};

CappedPoint at_cap(const CapTerms& terms, Watts cap);

}  // namespace loadfactor::facility
