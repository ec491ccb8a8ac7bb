#include "sweep/written_number.h"

#include <algorithm>
#include <cctype>

#include "base/decimal.h"
#include "base/units.h"
#include "config/currency.h"

namespace loadfactor::sweep {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '$';
}

std::size_t spaces_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] == ' ') ++end;
  return end - at;
}

// Whether nothing stands behind a percent sign that it could divide by.
bool ends_value(std::string_view rest) {
  rest.remove_prefix(spaces_at(rest, 0));
  if (rest.empty()) return true;
  const auto begins = [&](std::string_view word) {
    return rest.starts_with(word) && (rest.size() == word.size() || !is_letter(rest[word.size()]));
  };
  constexpr std::string_view kSigns = ")<>=!+-*/";
  return kSigns.find(rest.front()) != std::string_view::npos || begins("and") || begins("or");
}

// Letters joined by `/` or `-` without a space between: `USD/GPU-hour`.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  const auto joins = [&](std::size_t i) {
    return (text[i] == '/' || text[i] == '-') && i + 1 < text.size() && is_letter(text[i + 1]);
  };
  while (at < text.size() && (is_letter(text[at]) || joins(at))) ++at;
  return at;
}

struct FoundUnit {
  Unit unit;
  std::string currency;
  std::size_t end = 0;
};

// A unit with the currency that it begins with: `EUR/kWh`.
std::optional<FoundUnit> unit_of(std::string_view text, std::size_t end) {
  const UnitExpression plain = parse_unit(text);
  if (!plain.error) return FoundUnit{plain.unit, plain.unit.dimension.money != 0 ? "USD" : "", end};
  const std::string_view first = text.substr(0, text.find_first_of("/-"));
  if (!config::is_currency_code(first)) return std::nullopt;
  const UnitExpression dollars = parse_unit("USD" + std::string(text.substr(first.size())));
  if (dollars.error) return std::nullopt;
  return FoundUnit{dollars.unit, std::string(first), end};
}

// The longest unit of one or two words (`USD/M tokens`) that stands at `at`.
std::optional<FoundUnit> unit_at(std::string_view text, std::size_t at) {
  std::optional<FoundUnit> found;
  constexpr int kMostWords = 2;
  std::size_t end = at;
  for (int words = 0; words < kMostWords; ++words) {
    const std::size_t begin = end + (words > 0 ? spaces_at(text, end) : 0);
    end = end_of_word(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    if (word.empty() || word == "and" || word == "or") break;
    const bool is_power = words == 0 && count_word_exponent(word).has_value();
    const auto unit = is_power ? std::nullopt : unit_of(text.substr(at, end - at), end);
    if (unit) found = unit;
  }
  return found;
}

}  // namespace

std::optional<WrittenNumber> read_number(std::string_view text) {
  const auto scanned = scan_number(text);
  if (!scanned) return std::nullopt;
  const auto number = [&](const UnitScale& scale, std::optional<Dimension> dimension,
                          std::size_t size) -> std::optional<WrittenNumber> {
    const auto value = value_in(scanned->decimal, scale);
    if (!value) return std::nullopt;
    return WrittenNumber{*value, dimension, {}, size};
  };
  const std::size_t at = scanned->size + spaces_at(text, scanned->size);
  const std::string_view rest = text.substr(std::min(at, text.size()));
  if (rest.starts_with('%') && ends_value(rest.substr(1)))
    return number({.exponent = -2}, Dimension{}, at + 1);
  if (const auto found = unit_at(text, at)) {
    auto read = number(found->unit.scale, found->unit.dimension, found->end);
    if (read) read->currency = found->currency;
    return read;
  }
  const bool is_one_letter = rest.size() == 1 || (rest.size() > 1 && !is_letter(rest[1]));
  const auto power = is_one_letter ? count_word_exponent(rest.substr(0, 1)) : std::nullopt;
  if (power) return number({.exponent = *power}, std::nullopt, at + 1);
  return number({}, std::nullopt, scanned->size);
}

}  // namespace loadfactor::sweep
