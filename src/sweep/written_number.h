// A number as a filter writes it: `16`, `1 M`, `0.1 USD/kWh`, `50 %`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor::sweep {

struct WrittenNumber {
  double value = 0;                    // With a unit, in base units.
  std::optional<Dimension> dimension;  // That of the unit, where there is one.
  std::string currency;                // That of a unit of money; empty where it has none.
  std::size_t size = 0;                // In bytes of the text.
};

// What begins `text`, to the end of its unit; nothing where that is no number. `B` alone is 10^9,
// as it is for counts, and a percent sign before a number or a name is a remainder. Other
// currencies than the dollar are read as if they were dollars, and named.
std::optional<WrittenNumber> read_number(std::string_view text);

}  // namespace loadfactor::sweep
