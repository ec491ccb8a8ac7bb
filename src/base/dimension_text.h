// What each dimension is called, in which units it is printed, and what to say when its unit is
// missing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "loadfactor/quantity.h"

namespace loadfactor {

// A unit for reading, used from `at_least` of it upwards.
struct DisplayUnit {
  std::string_view unit;
  double at_least = 1.0;
};

struct DimensionRow {
  Dimension dimension;
  std::string_view noun;                  // `a bandwidth`.
  std::string_view base_unit;             // `B/s`.
  std::string_view help;                  // What to write, with {} for the number.
  std::span<const DisplayUnit> units;     // From small to large.
  std::span<const std::string_view> odd;  // Further units for the exact form: `GiB`.
};

// The row of a dimension, or nullptr for one that has no name of its own.
const DimensionRow* find_dimension(Dimension dimension);

// `a bandwidth`, or `a value in USD/B` for a dimension without a name.
std::string noun_of(Dimension dimension);

// `write '400 Gb/s' (bits, as fabrics are sold) or '400 GB/s' (bytes)`.
std::string unit_help(Dimension dimension, std::string_view number);

}  // namespace loadfactor
