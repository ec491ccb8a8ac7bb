// The printing half of quantity_text.h.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "base/decimal.h"
#include "base/dimension_text.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace loadfactor {
namespace {

UnitScale scale_of(std::string_view unit, Dimension dimension) {
  const UnitExpression parsed = parse_unit(unit);
  LF_CHECK(!parsed.error && parsed.unit.dimension == dimension);
  return parsed.unit.scale;
}

// `1 token`, not `1 tokens`.
std::string join(const std::string& number, std::string_view unit) {
  constexpr std::array<std::string_view, 5> kPlurals{"days", "years", "tokens", "GPUs",
                                                     "GPU-hours"};
  std::string word(unit);
  for (const std::string_view plural : kPlurals) {
    if (number == "1" && unit.starts_with(plural)) word.erase(plural.size() - 1, 1);
  }
  return number + " " + word;
}

Decimal shifted(Decimal decimal, int exponent) {
  if (decimal.digits != "0") decimal.exponent -= exponent;
  return decimal;
}

// The decimal that reads back, in this unit, as exactly `value`; nothing if none was found.
std::optional<Decimal> exact_in(double value, const UnitScale& scale) {
  if (is_decimal(scale)) return shifted(shortest_decimal(value), scale.exponent);
  const double plain = value * scale.divisor / scale.factor;
  if (!std::isfinite(plain)) return std::nullopt;
  for (const int digits : {15, 16, 17}) {
    const Decimal candidate = shifted(rounded_decimal(plain, digits), scale.exponent);
    if (value_in(candidate, scale) == value) return candidate;
  }
  return std::nullopt;
}

// Keeps the text with the shortest number, and rather `100 MB` than `0.1 GB`.
struct Choice {
  std::string text;
  std::size_t cost = 0;

  void offer(const Decimal& decimal, std::string_view unit) {
    constexpr std::size_t kFractionPenalty = 3;
    const std::string number = to_text(decimal);
    const std::size_t number_cost = number.size() + (decimal.exponent < 0 ? kFractionPenalty : 0);
    if (!text.empty() && number_cost >= cost) return;
    text = join(number, unit);
    cost = number_cost;
  }
};

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "–";
  return value > 0 ? "∞" : "-∞";
}

// The largest unit that leaves at least one before the point.
std::string_view unit_for(double magnitude, const DimensionRow& row) {
  std::string_view chosen = row.units.front().unit;
  for (const DisplayUnit& unit : row.units) {
    const double one = *value_in(Decimal{false, "1", 0}, scale_of(unit.unit, row.dimension));
    if (magnitude >= unit.at_least * one) chosen = unit.unit;
  }
  return chosen;
}

void append_base_unit(std::string& text, std::string_view symbol, int exponent) {
  for (int i = 0; i < std::abs(exponent); ++i) {
    if (!text.empty() || exponent < 0) text += exponent > 0 ? "-" : "/";
    text += symbol;
  }
}

}  // namespace

std::string format_exact(AnyQuantity quantity) {
  const double value = quantity.value;
  if (!std::isfinite(value)) return not_finite_text(value);
  if (quantity.dimension == kNone) return to_text(shortest_decimal(value));
  Choice choice;
  const DimensionRow* row = find_dimension(quantity.dimension);
  if (row != nullptr && value != 0.0) {
    const auto offer = [&](std::string_view unit) {
      const auto decimal = exact_in(value, scale_of(unit, quantity.dimension));
      if (decimal) choice.offer(*decimal, unit);
    };
    for (auto unit = row->units.rbegin(); unit != row->units.rend(); ++unit) offer(unit->unit);
    for (const std::string_view unit : row->odd) offer(unit);
  }
  if (choice.text.empty()) choice.offer(shortest_decimal(value), base_unit(quantity.dimension));
  return choice.text;
}

std::string format_display(AnyQuantity quantity, int digits) {
  const double value = quantity.value;
  if (!std::isfinite(value)) return not_finite_text(value);
  const Decimal rounded = rounded_decimal(value, digits);
  if (quantity.dimension == kNone) return to_text(rounded);
  const DimensionRow* row = find_dimension(quantity.dimension);
  if (row == nullptr || row->units.empty() || value == 0.0) {
    return join(to_text(rounded), base_unit(quantity.dimension));
  }
  // The rounded value chooses the unit, so that 999.96 kB becomes 1 MB and not 1000 kB.
  const double magnitude = std::abs(to_double(rounded).value_or(value));
  const std::string_view unit = unit_for(magnitude, *row);
  const UnitScale scale = scale_of(unit, quantity.dimension);
  if (is_decimal(scale)) return join(to_text(shifted(rounded, scale.exponent)), unit);
  const double plain = value * scale.divisor / scale.factor;
  return join(to_text(shifted(rounded_decimal(plain, digits), scale.exponent)), unit);
}

std::string format_in(AnyQuantity quantity, std::string_view unit, int decimals) {
  if (!std::isfinite(quantity.value)) return not_finite_text(quantity.value);
  const UnitScale scale = scale_of(unit, quantity.dimension);
  const double plain = quantity.value * scale.divisor / scale.factor;
  const double value = to_double(shifted(shortest_decimal(plain), scale.exponent)).value_or(0.0);
  std::string text = fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 17));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  if (is_zero && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string format_short_count(double value, int digits) {
  if (!std::isfinite(value)) return not_finite_text(value);
  constexpr std::array<std::string_view, 5> kWords{"", " K", " M", " B", " T"};
  const Decimal rounded = rounded_decimal(value, digits);
  const int steps = std::clamp(rounded.exponent / 3, 0, static_cast<int>(kWords.size()) - 1);
  return to_text(shifted(rounded, 3 * steps)) +
         std::string(kWords[static_cast<std::size_t>(steps)]);
}

std::string base_unit(Dimension dimension) {
  if (const DimensionRow* row = find_dimension(dimension)) return std::string(row->base_unit);
  const std::array<std::pair<std::string_view, int>, 7> terms{{{"USD", dimension.money},
                                                               {"J", dimension.energy},
                                                               {"FLOP", dimension.work},
                                                               {"B", dimension.data},
                                                               {"token", dimension.token},
                                                               {"GPU", dimension.gpu},
                                                               {"s", dimension.time}}};
  std::string text;
  for (const auto& [symbol, exponent] : terms) {
    if (exponent > 0) append_base_unit(text, symbol, exponent);
  }
  if (text.empty()) text = "1";
  for (const auto& [symbol, exponent] : terms) {
    if (exponent < 0) append_base_unit(text, symbol, exponent);
  }
  return text;
}

std::string format_count(long long value) {
  std::string text = std::to_string(value);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace loadfactor
