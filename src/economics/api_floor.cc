#include "economics/api_floor.h"

#include <cmath>
#include <limits>

#include "base/calendar.h"

namespace loadfactor::economics {
namespace {

// The integral of e^(-rate t) over [0, years].
double annuity(double rate, double years) {
  return rate == 0 ? years : -std::expm1(-rate * years) / rate;
}

}  // namespace

DollarsPerToken blended_price(const ApiTerms& terms) {
  const double w = terms.input_share;
  const double h = terms.cached_share;
  return w * ((1.0 - h) * terms.input + h * terms.cached) + (1.0 - w) * terms.output;
}

double break_even_load(DollarsPerSecond fixed, DollarsPerSecond working, DollarsPerToken price,
                       TokensPerSecond rate) {
  const DollarsPerSecond margin = price * rate - working;
  if (margin <= DollarsPerSecond()) return std::numeric_limits<double>::infinity();
  return fixed / margin;
}

double life_multiplier(Seconds half_life, Seconds life, double discount) {
  if (half_life <= Seconds() || life <= Seconds()) return 1.0;
  const double years = life / kYear;
  const double rate = std::log1p(discount);
  const double decline = std::log(2.0) / (half_life / kYear);
  return annuity(rate, years) / annuity(rate + decline, years);
}

double floor_growth(Seconds half_life, Seconds at) {
  if (half_life <= Seconds()) return 1.0;
  return std::exp2(at / half_life);
}

}  // namespace loadfactor::economics
