#include "facility/power_cap.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::facility {

CappedPoint at_cap(const CapTerms& terms, Watts cap) {
  CappedPoint point;
  point.cap = cap;
  const Watts draw = std::clamp(cap, terms.idle, terms.uncapped);
  const double dynamic = (draw - terms.idle) / (terms.uncapped - terms.idle);
  point.rate = std::pow(dynamic, terms.exponent);
  point.power = draw + terms.rest_of_node;
  const Watts before = terms.uncapped + terms.rest_of_node;
  point.work_per_joule = point.rate / (point.power / before);
  return point;
}

}  // namespace loadfactor::facility
