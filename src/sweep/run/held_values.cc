#include "sweep/run/held_values.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "config/reader.h"
#include "sweep/run/cells.h"

namespace loadfactor::sweep {
namespace {

constexpr std::size_t kShown = 6;

Error refuse(std::string message, std::string hint) {
  return {.code = lf::kUnknownWord, .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

HeldValues::HeldValues(ResultColumn column, const std::vector<CellValue>& cells,
                       std::string currency)
    : column_(std::move(column)), currency_(std::move(currency)) {
  std::set<FilterValue> different;
  for (const CellValue& cell : cells) different.insert(filter_value(cell));
  values_.assign(different.begin(), different.end());
  for (const FilterValue& value : values_) {
    if (const auto* word = std::get_if<std::string>(&value)) words_.push_back(*word);
    if (const auto* number = std::get_if<double>(&value)) numbers_.push_back(*number);
  }
}

std::optional<Error> HeldValues::misfit(const Comparison& comparison) const {
  if (words_.empty() && numbers_.empty()) return std::nullopt;  // All are blank.
  if (const auto* word = std::get_if<std::string>(&comparison.with)) return misfit_of_word(*word);
  if (numbers_.empty())
    return refuse(fmt::format("'{}' holds words, and is compared with a number", column_.name),
                  fmt::format("words stand in quotes: {}", some_words()));
  return comparison.dimension ? misfit_of_unit(*comparison.dimension) : std::nullopt;
}

std::optional<Error> HeldValues::misfit_of_word(const std::string& word) const {
  const bool is_held = std::any_of(words_.begin(), words_.end(), [&](const std::string& each) {
    return is_same_word(each, word);
  });
  if (is_held) return std::nullopt;
  if (words_.empty())
    return refuse(fmt::format("'{}' holds numbers, and is compared with a word", column_.name),
                  fmt::format("leave out the quotes; {} == null where it is blank", column_.name));
  const auto nearest = config::suggest(word, words_);
  return refuse(fmt::format("no case has {} '{}'", column_.name, word),
                nearest ? fmt::format("did you mean '{}'?", *nearest) : "one of: " + some_words());
}

std::optional<Error> HeldValues::misfit_of_unit(const Dimension& dimension) const {
  const UnitExpression own = parse_unit(column_.unit);
  const bool has_unit = !column_.unit.empty() && !own.error;
  const Dimension expected = has_unit ? own.unit.dimension : Dimension{};
  if (expected == dimension) return std::nullopt;
  const std::string given = base_unit(dimension);
  return refuse(
      fmt::format("'{}' is {}, and is compared with {}", column_.name,
                  has_unit ? "in " + in_currency(column_.unit, currency_) : "a plain number",
                  given.empty() || given == "1" ? "a plain share"
                                                : "a number in " + in_currency(given, currency_)),
      has_unit ? fmt::format("a unit such as that of {}", text_of(numbers_.front()))
               : "leave out the unit");
}

std::optional<Error> HeldValues::decides_nothing(const Comparison& comparison) const {
  const auto fulfils = [&](const FilterValue& value) { return holds(comparison, value); };
  const auto count = std::count_if(values_.begin(), values_.end(), fulfils);
  if (values_.empty() || (count > 0 && count < std::ssize(values_))) return std::nullopt;
  const auto* number = std::get_if<double>(&comparison.with);
  const auto* word = std::get_if<std::string>(&comparison.with);
  const std::string with = number != nullptr ? text_of(*number)
                           : word != nullptr ? fmt::format("'{}'", *word)
                                             : std::string("null");
  std::string hint = "leave it out";
  if (numbers_.size() == 1) hint = fmt::format("its number is {}", text_of(numbers_[0]));
  if (numbers_.size() > 1)
    hint = fmt::format("its numbers go from {} to {}", text_of(numbers_.front()),
                       text_of(numbers_.back()));
  return Error{.code = lf::kOutOfRange,
               .message = fmt::format("{} {} {} holds for {} case", column_.name, comparison.sign,
                                      with, count == 0 ? "no" : "every"),
               .hint = std::move(hint)};
}

std::string HeldValues::some_words() const {
  std::vector<std::string> out;
  for (const std::string& word : words_)
    if (out.size() < kShown) out.push_back(fmt::format("'{}'", word));
  return fmt::format("{}{}", fmt::join(out, ", "), words_.size() > kShown ? ", …" : "");
}

std::string HeldValues::text_of(double number) const {
  const UnitExpression unit = parse_unit(column_.unit);
  const bool has_unit = !column_.unit.empty() && column_.unit != "1" && !unit.error;
  return has_unit ? in_currency(format_display({number, unit.unit.dimension}, 6), currency_)
                  : fmt::format("{:.12g}", number);
}

}  // namespace loadfactor::sweep
