// What a way to pay consists of, by what moves it as time goes on.
#pragma once

#include "economics/evaluate.h"

namespace loadfactor::engine {

// What an option pays, by what moves it.
struct WayParts {
  double owned = 0;           // GPUs bought.
  double load = 0;            // Load factor of those.
  DollarsPerSecond fixed;     // Does not move.
  DollarsPerSecond floating;  // Goes with the rent of the day.
  DollarsPerSecond reserved;  // Goes with the rent of the day it was signed.
  Seconds term;               // How long the reservation binds.
  DollarsPerSecond tokens;    // Goes with the price of tokens.
};

WayParts parts_of(const economics::CostCase& terms, const economics::OptionFigures& figures);

}  // namespace loadfactor::engine
