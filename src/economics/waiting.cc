#include "economics/waiting.h"

namespace loadfactor::economics {

Dollars value_of_waiting(const WaitingTerms& terms) {
  const Dollars now = terms.own_now * terms.horizon;
  const Seconds after = terms.horizon - terms.wait;
  return now - (terms.rent * terms.wait + terms.own_now / terms.gain * after);
}

std::optional<double> least_gain(const WaitingTerms& terms) {
  const Dollars left = terms.own_now * terms.horizon - terms.rent * terms.wait;
  if (left <= Dollars()) return std::nullopt;
  return terms.own_now * (terms.horizon - terms.wait) / left;
}

}  // namespace loadfactor::economics
