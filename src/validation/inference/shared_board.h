// Boards that carry several accelerators, counted as one.
#pragma once

#include <string_view>

namespace loadfactor::validation {

// How many accelerators a board of this name carries, that says it behind its memory: two of
// `…-24GBx2`. One where it does not say.
int chips_per_board(std::string_view accelerator);

}  // namespace loadfactor::validation
