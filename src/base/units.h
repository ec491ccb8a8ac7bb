// The units people write, in one table that serves parsing and printing.
//
// A unit is worth 10^exponent × factor ÷ divisor base units. Keeping the power of ten apart
// lets it be moved into the decimal text of a number, so that `3.35 TB` is rounded once and
// every decimal prefix is exact.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
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

// True if the unit is a power of ten of the base unit.
inline bool is_decimal(const UnitScale& scale) {
  return scale.factor == 1.0 && scale.divisor == 1.0;
}

// A single unit word with its prefix (`GB`, `TFLOPS`, `hours`, `$`, `%`), or nothing.
std::optional<Unit> find_unit(std::string_view word);

// What stops a unit expression from being read.
enum class UnitProblem { kUnknownWord, kMissingWord, kExtraWord, kTooLong };

struct UnitError {
  UnitProblem problem = UnitProblem::kUnknownWord;
  std::size_t begin = 0;  // Where in the text, in bytes.
  std::size_t end = 0;
};

struct UnitExpression {
  Unit unit;
  std::optional<UnitError> error;
};

// Reads `USD/GPU-hour`, `B/token`, `USD/M tokens`, `1/s`: terms joined by '/' (or ' per ') and
// '-' (or '·'), where '-' binds tighter. A term may carry a count word: `M tokens`.
UnitExpression parse_unit(std::string_view text);

// The value in base units of a number in a unit; nothing if it is too large or too small to be
// held. Both parsing and the search for an exact text go through here.
std::optional<double> value_in(const Decimal& number, const UnitScale& scale);

// Powers of ten of the count words K, M, B, T (and k).
std::optional<int> count_word_exponent(std::string_view word);

// Spellings that differ from `word` in case only, such as {"MB", "Mb"} for `mb`.
std::vector<std::string> case_variants(std::string_view word);

}  // namespace loadfactor
