// Quantities as people write and read them: `80 GB`, `400 Gb/s`, `0.09 USD/kWh`, `10 %`.
//
// One table of units and prefixes serves parsing and printing. GB is 10^9 and GiB is 2^30
// everywhere; `b` is a bit and `B` a byte. Two printed forms: the exact form, for which
// parse(format_exact(x)) == x to the last bit, and the display form, rounded for reading.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor {

// What a number is expected to be, which settles how `B` is read and what help says.
enum class Expect {
  kQuantity,  // Needs a unit unless dimensionless: `80 GB`.
  kCount,     // K, M, B, T are powers of ten and the noun is optional: `10 T`, `10 T tokens`.
  kRatio,     // A plain number or a percentage: `0.1`, `10 %`.
};

// Reads `text` as a quantity of `dimension`. Error codes: LF202 no unit, LF203 another
// dimension or an unknown unit, LF206 not finite, LF208 not a number. The error's
// where.column/length are relative to `text` (from 1), so that a caller can shift them to the file;
// its source_line is `text` until the caller replaces it by the line of the file.
Result<AnyQuantity> parse_quantity(std::string_view text, Dimension dimension,
                                   Expect expect = Expect::kQuantity);

template <Dimension D>
Result<Quantity<D>> parse_as(std::string_view text, Expect expect = Expect::kQuantity) {
  TRY(const AnyQuantity parsed, parse_quantity(text, D, expect));
  return Quantity<D>::from_base(parsed.value);
}

// The shortest text that parses back to the same bits, in a unit that suits the dimension.
std::string format_exact(AnyQuantity quantity);

// `digits` significant digits and the prefix that leaves 1–999 before the point: `3.35 TB/s`.
std::string format_display(AnyQuantity quantity, int digits = 3);

// In one given unit, with `decimals` after the point and no unit printed: for table columns.
std::string format_in(AnyQuantity quantity, std::string_view unit, int decimals);

// The unit in which JSON writes a quantity of this dimension ("B", "s", "B/s", "USD", …).
std::string base_unit(Dimension dimension);

// A count in words of thousands to trillions: `70.6 B`, read back by Expect::kCount.
std::string format_short_count(double value, int digits = 3);

// An integer with thousands separators: 1,353,283.
std::string format_count(long long value);

}  // namespace loadfactor
