// Checks one scalar of a document as a number: spelling, unit, sign, range and likely slips.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/reader.h"

namespace loadfactor::config {

// What a number of a map is wanted to be.
struct Wanted {
  std::string_view key;
  NumberForm form;
  Range range;
};

// The value in base units, or an error that points at the exact characters.
Result<double> check_number(const Document& document, const Node& node, const Wanted& wanted);
Result<std::int64_t> check_integer(const Document& document, const Node& node, std::string_view key,
                                   Range range);

}  // namespace loadfactor::config
