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
  point.power = draw + terms.beside;
  const Watts before = terms.uncapped + terms.beside;
  point.work_per_joule = point.rate / (point.power / before);
  return point;
}

CappedPoint most_efficient(const CapTerms& terms, std::span<const Watts> caps) {
  CappedPoint best = at_cap(terms, terms.uncapped);
  for (const Watts cap : caps) {
    const CappedPoint point = at_cap(terms, cap);
    if (point.work_per_joule > best.work_per_joule) best = point;
  }
  return best;
}

double fit_exponent(std::span<const MeasuredCap> points, Watts idle) {
  // Relative to the point of most power.
  const auto top = std::max_element(points.begin(), points.end(),
                                    [](const auto& a, const auto& b) { return a.power < b.power; });
  if (top == points.end()) return 0;
  double xy = 0;
  double xx = 0;
  for (const auto& point : points) {
    if (point.power <= idle || point.rate <= 0) continue;
    const double x = std::log((point.power - idle) / (top->power - idle));
    const double y = std::log(point.rate / top->rate);
    xy += x * y;
    xx += x * x;
  }
  return xx > 0 ? xy / xx : 0.0;
}

}  // namespace loadfactor::facility
