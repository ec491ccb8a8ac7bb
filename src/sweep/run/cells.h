// Values of scenarios and answers as cells of a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/scenario.h"
#include "loadfactor/value.h"
#include "sweep/filter.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

// A quantity in base units; a list as its text.
CellValue cell_of(const config::AnyValue& value);
// A number where the word is one.
CellValue word_cell(const std::string& word);
FilterValue filter_value(const CellValue& cell);

// A number of the same type as a value, written as that was: `8 M` like what `1 M` is. Nothing
// where it cannot be sure.
std::optional<config::AnyValue> value_like(const config::AnyValue& first,
                                           const std::string& first_text, const std::string& text);

// A unit or an amount in dollars, with the code of another currency; empty: as it is.
std::string in_currency(std::string text, const std::string& code);

// What stands at `plan.gpus`, `options.0.cost` or `options.length`; nullptr where nothing does.
struct Found {
  const Value* value = nullptr;
  std::optional<std::int64_t> length;  // How long a list is.
};
Found find_value(const Value& answer, std::string_view path);

// A number, text or flag, or the value of a quantity; blank for all else.
CellValue cell_of(const Found& found);
// An end of its interval: `low` or `high`; blank where it has none.
CellValue end_of(const Found& found, std::string_view end);

}  // namespace loadfactor::sweep
