// Decimal numbers as text: scanning what a user wrote, and writing doubles without a locale.
//
// A decimal keeps its power of ten apart, so that a unit's prefix can be added to it before the
// one and only rounding to binary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loadfactor {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Decimal {
  bool negative = false;
  std::string digits = "0";  // Without leading and trailing zeros; "0" for zero.
  int exponent = 0;          // Power of ten of the first digit: 1234 is "1234" with exponent 3.
};

// The fewest digits that read back as the same double. `value` must be finite.
Decimal shortest_decimal(double value);

// `value` rounded correctly to `digits` significant digits (1 to 17). It must be finite.
Decimal rounded_decimal(double value, int digits);

// `decimal` × 10^shift as a double; nothing if it is too large or too small to be held.
std::optional<double> to_double(const Decimal& decimal, int shift = 0);

// `decimal` as text: `1234.5`, and with an exponent where that would be long: `1.2345e21`.
std::string to_text(const Decimal& decimal);

// A number at the start of a text: sign, digits, point, exponent. Nothing if there is none.
struct ScannedNumber {
  Decimal decimal;
  std::size_t size = 0;  // In bytes of the text.
};
std::optional<ScannedNumber> scan_number(std::string_view text);

}  // namespace loadfactor
