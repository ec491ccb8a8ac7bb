// The accelerators and engines an answer speaks of when the question names none. Reads
// data/lineup.yaml.
#pragma once

#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct EngineLineup {
  std::string standard;              // The one assumed.
  std::vector<std::string> compare;  // Those shown beside it.
  std::string steps;                 // The one that single measured steps are taken to be of.
};

struct Lineup {
  std::string standard;              // The one assumed.
  std::vector<std::string> compare;  // Those shown beside it.
  EngineLineup engines;
};

// A later file replaces an earlier one; one without engines leaves those as they are.
void load_lineup(const DataFile& file, Lineup& lineup, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
