// The accelerators an answer speaks of when the question names none. Reads data/lineup.yaml.
#pragma once

#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct Lineup {
  std::string standard;              // The accelerator that is assumed where none is named.
  std::vector<std::string> compare;  // The accelerators that it is compared with.
};

// A later file replaces an earlier one.
void load_lineup(const DataFile& file, Lineup& lineup, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
