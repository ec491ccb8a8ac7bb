#include "observe/read/batch_flag.h"

#include "launch/vocabulary/table.h"

namespace loadfactor::observe {

std::string batch_flag(std::string_view engine) {
  for (auto& row : launch::read_table("batch_flags.csv"))
    if (row[0] == engine) return std::move(row[1]);
  return {};
}

}  // namespace loadfactor::observe
