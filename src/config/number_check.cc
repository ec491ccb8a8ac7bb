#include "config/number_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "config/currency.h"
#include "config/number_text.h"

namespace loadfactor::config {
namespace {

// Moves an error about the text of a scalar to the place of the scalar in the file.
Error placed(const Document& document, const Node& node, Error error) {
  const bool is_quoted = node.style == ScalarStyle::kQuoted;
  const std::uint32_t quotes = is_quoted ? 2 : 0;
  const bool verbatim = node.position.length == count_characters(node.scalar) + quotes;
  Position place = node.position;
  if (verbatim && error.where.column > 0) {
    place.column += error.where.column - 1 + quotes / 2;
    place.length = error.where.length;
  }
  Error result = document.error(error.code, place, std::move(error.message), std::move(error.hint));
  result.notes.insert(result.notes.end(), error.notes.begin(), error.notes.end());
  return result;
}

// A bound that follows from others, such as one request a year, has more digits than help a reader.
constexpr std::ptrdiff_t kMaxDigitsOfBounds = 12;

std::string shown(double value, const NumberForm& form) {
  if (form.dimension != kNone) return format_display({value, form.dimension});
  std::array<char, 32> text{};
  auto [end, status] = std::to_chars(text.begin(), text.end(), value);
  if (end - text.begin() > kMaxDigitsOfBounds)
    end = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 3).ptr;
  return {text.begin(), end};
}

bool is_within(double value, const Range& range) {
  return value >= range.low && value <= range.high;
}

// The unit a person slips into, and the one that was meant.
struct UnitSlip {
  std::string_view written;
  std::string_view meant;
  double factor;  // The value as meant over the value as written.
};
constexpr std::array kUnitSlips{
    UnitSlip{" s", " ms", 1e-3},  UnitSlip{" ms", " us", 1e-3}, UnitSlip{" ms", " s", 1e3},
    UnitSlip{" us", " ms", 1e3},  UnitSlip{" mW", " MW", 1e9},  UnitSlip{" W", " kW", 1e3},
    UnitSlip{" kW", " W", 1e-3},  UnitSlip{" kW", " MW", 1e3},  UnitSlip{" MW", " kW", 1e-3},
    UnitSlip{" GB", " MB", 1e-3}, UnitSlip{" MB", " GB", 1e3},  UnitSlip{" TB", " GB", 1e-3},
    UnitSlip{" GB", " TB", 1e3},  UnitSlip{" PB", " TB", 1e-3},
};

// The same number in the neighbouring unit, where that lies in the band; else the band's hint.
std::string slip_of(const Node& node, double value, const Wanted& wanted) {
  for (const UnitSlip& slip : kUnitSlips) {
    const std::string_view text = node.scalar;
    if (!text.ends_with(slip.written) || !is_within(value * slip.factor, wanted.range)) continue;
    const std::string number(text.substr(0, text.size() - slip.written.size()));
    return "did you mean '" + number + std::string(slip.meant) + "'?";
  }
  return std::string(wanted.range.hint);
}

Error out_of_range(const Document& document, const Node& node, double value, const Wanted& wanted) {
  const Range& range = wanted.range;
  const std::string key = "'" + std::string(wanted.key) + "'";
  const bool wrong_sign = (value < 0 && range.low >= 0) || (value == 0 && range.low > 0);
  if (wrong_sign)
    return document.error(lf::kOutOfRange, node.position,
                          key + " must " + (range.low > 0 ? "be above zero" : "not be negative"),
                          std::string(range.hint));
  std::string bounds = "at least " + shown(range.low, wanted.form);
  if (std::isfinite(range.high)) {
    bounds = std::isfinite(range.low)
                 ? shown(range.low, wanted.form) + " to " + shown(range.high, wanted.form)
                 : "at most " + shown(range.high, wanted.form);
  }
  if (!range.physical)
    return document.error(lf::kOutOfRange, node.position,
                          key + " is " + node.scalar + "; allowed is " + bounds,
                          std::string(range.hint));
  return document.error(lf::kAbsurdMagnitude, node.position,
                        key + " is " + node.scalar + ", outside of what exists (" + bounds + ")",
                        slip_of(node, value, wanted));
}

// Memory is never sold in bits; `80 Gb` is a slip for `80 GB`.
bool is_in_bits(std::string_view text) {
  while (!text.empty() && text.back() == 's') text.remove_suffix(1);
  return text.ends_with("bit") || (text.size() > 1 && text.back() == 'b');
}

Error refuse_bits(const Document& document, const Node& node) {
  return document.error(lf::kWrongUnit, node.position,
                        "'" + node.scalar + "' is in bits; an amount of data is written in bytes",
                        "write B for bytes: 'GB', not 'Gb'");
}

Error refuse_quotes(const Document& document, const Node& node, std::string_view key) {
  return document.error(lf::kWrongType, node.position,
                        "'" + std::string(key) + "' must be a number; in quotes it is a text",
                        "write " + node.scalar + " without quotes");
}

// `80 %` where a plain number is wanted: the same as a number, where that is allowed.
std::optional<std::string> percent_as_number(const Node& node, const Wanted& wanted) {
  const bool is_plain = wanted.form.dimension == kNone && wanted.form.expect == Expect::kCount &&
                        node.scalar.ends_with('%');
  if (!is_plain) return std::nullopt;
  const auto share = parse_quantity(node.scalar, kNone, Expect::kRatio);
  if (!share) return std::nullopt;
  if (!is_within(share->value, wanted.range))
    return wanted.range.hint.empty() ? std::nullopt : std::optional(std::string(wanted.range.hint));
  std::string hint = "write " + shown(share->value, wanted.form) + ", without the percent sign";
  if (!wanted.range.hint.empty()) hint += ": " + std::string(wanted.range.hint);
  return hint;
}

}  // namespace

Result<double> check_number(const Document& document, const Node& node, const Wanted& wanted) {
  const bool needs_unit = wanted.form.expect == Expect::kQuantity && wanted.form.dimension != kNone;
  if (node.style == ScalarStyle::kQuoted && !needs_unit && is_bare_number(node.scalar))
    return refuse_quotes(document, node, wanted.key);
  if (auto error = refuse_leading_zero(node.scalar))
    return placed(document, node, *std::move(error));
  auto parsed =
      parse_amount(document.currency, node.scalar, wanted.form.dimension, wanted.form.expect);
  if (!parsed) {
    Error error = placed(document, node, std::move(parsed).error());
    if (auto hint = percent_as_number(node, wanted)) error.hint = *std::move(hint);
    return error;
  }
  const bool is_data = wanted.form.dimension == Dimension{.data = 1};
  if (is_data && is_in_bits(node.scalar)) return refuse_bits(document, node);
  if (!is_within(parsed->in_usd, wanted.range))
    return out_of_range(document, node, parsed->in_usd, wanted);
  return parsed->held;
}

Result<std::int64_t> check_integer(const Document& document, const Node& node, std::string_view key,
                                   Range range) {
  if (node.style == ScalarStyle::kQuoted && is_bare_number(node.scalar))
    return refuse_quotes(document, node, key);
  auto parsed = parse_integer(node.scalar);
  if (!parsed) return placed(document, node, std::move(parsed).error());
  const auto value = static_cast<double>(*parsed);
  if (!is_within(value, range))
    return out_of_range(document, node, value, {key, {kNone, Expect::kCount}, range});
  return *parsed;
}

}  // namespace loadfactor::config
