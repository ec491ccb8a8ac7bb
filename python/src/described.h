// What the Python side is made of: verbs with their options, and units, as data.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace loadfactor::python {

// [{"verb", "help", "takes_set", "options": [{"name", "kind", "value_name", "help", "positional",
// "required"}]}]; options of the command line alone are left out.
std::string verbs_json();

struct UnitInBase {
  double factor = 1;
  std::array<int, 7> exponents{};  // Powers of second, byte, flop, joule, dollar, token and gpu.
};
// Nothing for a unit that is none.
std::optional<UnitInBase> unit_in_base(const std::string& unit);

}  // namespace loadfactor::python
