// The units people write, in one table that serves parsing and printing.
//
// A unit is worth factor × 10^exponent ÷ divisor base units. Keeping the power of ten apart
// lets it be moved into the decimal text of a number, so that `3.35 TB` is rounded once and
// every decimal prefix is exact.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor {

struct UnitScale {
  int exponent = 0;      // Power of ten.
  double factor = 1.0;   // Small integers such as 36 (of an hour) or 1024.
  double divisor = 1.0;  // Such as 8 (of a bit).

  friend bool operator==(const UnitScale&, const UnitScale&) = default;
};

struct Unit {
  UnitScale scale;
  Dimension dimension;
};

// A single unit word with its prefix (`GB`, `TFLOPS`, `hours`, `$`, `%`), or nothing.
std::optional<Unit> find_unit(std::string_view word);

// What stops a unit expression from being read: the bytes [begin, end) of the text.
struct UnitError {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};

struct UnitExpression {
  Unit unit;
  std::optional<UnitError> error;
};

// Reads `USD/GPU-hour`, `B/token`, `USD/M tokens`, `1/s`: terms joined by '/' (or ' per ') and
// '-' (or '·'), where '-' binds tighter. A term may carry a count word: `M tokens`.
UnitExpression parse_unit(std::string_view text);

// Powers of ten of the count words K, M, B, T (and k).
std::optional<int> count_word_exponent(std::string_view word);

// Spellings that differ from `word` in case only, such as {"MB", "Mb"} for `mb`.
std::vector<std::string> case_variants(std::string_view word);

}  // namespace loadfactor
