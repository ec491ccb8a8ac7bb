// Buy now, or rent until the next generation is there and buy that?
#pragma once

#include <optional>

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct WaitingTerms {
  DollarsPerSecond own_now;  // Cost of one GPU's work on today's generation.
  DollarsPerSecond rent;     // Rent for the same work meanwhile.
  double gain = 1;           // Work per dollar of the next generation over today's.
  Seconds wait;
  Seconds horizon;
};
// What waiting saves over the horizon; negative where buying now is cheaper.
Dollars value_of_waiting(const WaitingTerms& terms);
// The gain above which waiting pays; nothing if no gain suffices.
std::optional<double> least_gain(const WaitingTerms& terms);

}  // namespace loadfactor::economics
