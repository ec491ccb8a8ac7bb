// Every fact of an entry's file with the source that its block names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct StatedFact {
  std::string key;    // `memory.bandwidth`, `aliases[0]`.
  std::string value;  // As it is written, with its unit.
  // Where the value is a number, alone or before a unit that we know; the unit is empty without
  // one.
  std::optional<double> number;
  std::string unit;
  // What its block says, or the nearest one around it; empty where none does.
  std::string kind, source, date;
  std::int64_t line = 0;
};

// In the order of the file. LF501 and its kin where the text is not YAML.
Result<std::vector<StatedFact>> stated_facts(const DataFile& file);

}  // namespace loadfactor::catalog
