// A small case that tests of ways to pay share.
#pragma once

#include "base/calendar.h"
#include "economics/evaluate.h"

namespace loadfactor::economics::testing {

inline DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}

// Eight rented GPUs of 1,000 tokens/s each, 40 % full, at so many dollars an hour.
inline CostCase rented_case(double rent) {
  CostCase terms;
  terms.capacity = {.gpus = 8, .full_plane = TokensPerSecond::from_base(8000), .load_factor = 0.4};
  terms.rent[0] = RentTerms{.price = hourly(rent)};
  terms.horizon = kYear;
  return terms;
}

}  // namespace loadfactor::economics::testing
