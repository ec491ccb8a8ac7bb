/// A change of one value of a scenario: what a what-if is made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor::config {

/// No value: the key is left to us, or its section is taken out.
using Blank = std::monostate;

/// A value of any key. A word of a closed set (`fp8`, `1f1b`) is a text; a ratio or a count of
/// things without a unit is a number.
using AnyValue = std::variant<Blank, bool, std::int64_t, double, std::string,
                              std::vector<std::string>, std::vector<double>, AnyQuantity>;

/// The text of a value, as a file or a --set would have it; empty for a blank.
std::string to_text(const AnyValue& value);

/// A key by its path and what it becomes. Items of lists go by number: `serve.others.0.precision`.
struct Edit {
  std::string path;
  AnyValue value = Blank();

  friend bool operator==(const Edit&, const Edit&) = default;
};

/// The argument of --set that makes the edit: `money.electricity=0.1 USD/kWh`.
std::string to_set_text(const Edit& edit);

}  // namespace loadfactor::config
