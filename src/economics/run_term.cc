#include "economics/run_term.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::economics {

Seconds RunTerm::paid_seconds(Seconds run) const {
  if (!is_renewed(run)) return run + std::max(Seconds(), commitment - run) * (bound * idle);
  const Seconds whole = commitment * std::floor(run / commitment);
  const Seconds rest = run - whole;
  if (rest <= Seconds()) return whole;
  const Seconds another = rest + (commitment - rest) * idle;
  return whole + (onward ? std::min(another, rest * *onward) : another);
}

Seconds RunTerm::held(Seconds run) const {
  RunTerm around_the_clock = *this;
  around_the_clock.idle = 1.0;
  return around_the_clock.paid_seconds(run);
}

Seconds RunTerm::longest_run(Seconds paid) const {
  if (commitment <= Seconds() || (!renews && paid >= commitment)) return paid;
  // Within a term that costs this much without a run.
  const auto within = [this](Seconds left, double standing) {
    if (standing >= 1.0) return left >= commitment ? commitment : Seconds();
    return std::max(Seconds(), (left - commitment * standing) / (1.0 - standing));
  };
  if (paid < commitment) return within(paid, bound * idle);
  const Seconds whole = commitment * std::floor(paid / commitment);
  const Seconds another = within(paid - whole, idle);
  return whole +
         (onward ? std::max(another, std::min(commitment, (paid - whole) / *onward)) : another);
}

}  // namespace loadfactor::economics
