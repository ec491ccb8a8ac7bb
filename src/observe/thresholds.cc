#include "observe/thresholds.h"

#include <cstdlib>

#include "launch/vocabulary/table.h"

namespace loadfactor::observe {

Thresholds::Thresholds() {
  for (const auto& row : launch::read_table("observe_thresholds.csv"))
    values_.emplace(row[0], std::strtod(row[1].c_str(), nullptr));
}

double Thresholds::operator[](std::string_view name) const {
  return values_.find(name)->second;
}

}  // namespace loadfactor::observe
