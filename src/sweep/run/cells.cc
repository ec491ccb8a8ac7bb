#include "sweep/run/cells.h"

#include <charconv>
#include <cmath>

#include "base/quantity_text.h"
#include "config/number_text.h"
#include "sweep/parts_reader.h"

namespace loadfactor::sweep {
namespace {

// What is no number is no value, and there is one zero.
CellValue number_cell(double number) {
  if (std::isnan(number)) return std::monostate();
  return number == 0 ? 0.0 : number;
}

struct Celled {
  CellValue operator()(config::Blank) const { return std::monostate(); }
  CellValue operator()(bool flag) const { return std::int64_t{flag ? 1 : 0}; }
  CellValue operator()(std::int64_t number) const { return number; }
  CellValue operator()(double number) const { return number_cell(number); }
  CellValue operator()(const std::string& text) const { return text; }
  CellValue operator()(const AnyQuantity& quantity) const { return number_cell(quantity.value); }
  template <typename T>
  CellValue operator()(const std::vector<T>& list) const {
    return config::to_text(config::AnyValue(list));
  }
};

CellValue leaf(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return std::int64_t{*flag ? 1 : 0};
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return *count;
  if (const auto* number = std::get_if<double>(&value.data)) return number_cell(*number);
  if (const auto* text = value.text()) return *text;
  return std::monostate();
}

}  // namespace

CellValue cell_of(const config::AnyValue& value) {
  return std::visit(Celled(), value);
}

CellValue word_cell(const std::string& word) {
  std::int64_t whole = 0;
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, whole);
  if (read.ec == std::errc() && read.ptr == end) return whole;
  double number = 0;
  const auto real = std::from_chars(word.data(), end, number);
  if (real.ec == std::errc() && real.ptr == end && std::isfinite(number))
    return number_cell(number);
  // `8 K`: thousands and their like, as options take them.
  if (const auto read_unit = split_number(word)) {
    for (const auto& [letter, power] : kPowersOfTen)
      if (read_unit->unit == letter) return number_cell(read_unit->number * power);
  }
  return word;
}

FilterValue filter_value(const CellValue& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return std::monostate();
}

std::optional<config::AnyValue> value_like(const config::AnyValue& first,
                                           const std::string& first_text, const std::string& text) {
  if (std::holds_alternative<std::int64_t>(first)) {
    const auto whole = config::parse_integer(text);
    return whole ? std::optional<config::AnyValue>(*whole) : std::nullopt;
  }
  const auto* quantity = std::get_if<AnyQuantity>(&first);
  const auto* number = std::get_if<double>(&first);
  if (quantity == nullptr && number == nullptr) return std::nullopt;
  const Dimension dimension = quantity == nullptr ? Dimension{} : quantity->dimension;
  const double wanted = quantity == nullptr ? *number : quantity->value;
  for (const Expect expect : {Expect::kQuantity, Expect::kCount, Expect::kRatio}) {
    const auto known = parse_quantity(first_text, dimension, expect);
    if (!known || known->value != wanted) continue;
    const auto read = parse_quantity(text, dimension, expect);
    if (!read) return std::nullopt;
    return quantity == nullptr ? config::AnyValue(read->value) : config::AnyValue(*read);
  }
  return std::nullopt;
}

Found find_value(const Value& answer, std::string_view path) {
  const Value* here = &answer;
  while (!path.empty()) {
    const auto dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(std::min(dot + 1, path.size()));
    if (const auto* list = here->list()) {
      if (part == "length" && path.empty())
        return {nullptr, static_cast<std::int64_t>(list->size())};
      std::size_t item = 0;
      const auto read = std::from_chars(part.data(), part.data() + part.size(), item);
      if (read.ec != std::errc() || item >= list->size()) return {};
      here = &(*list)[item];
    } else {
      here = here->find(part);
    }
    if (here == nullptr) return {};
  }
  return {here, {}};
}

CellValue cell_of(const Found& found) {
  if (found.length) return *found.length;
  if (found.value == nullptr) return std::monostate();
  if (const Value* inner = found.value->find("value")) return leaf(*inner);
  return leaf(*found.value);
}

CellValue end_of(const Found& found, std::string_view end) {
  const Value* inner = found.value == nullptr ? nullptr : found.value->find(end);
  return inner == nullptr ? CellValue() : leaf(*inner);
}

std::string in_currency(std::string text, const std::string& code) {
  constexpr std::string_view kDollars = "USD";
  const auto at = code.empty() ? std::string::npos : text.find(kDollars);
  if (at != std::string::npos) text.replace(at, kDollars.size(), code);
  return text;
}

}  // namespace loadfactor::sweep
