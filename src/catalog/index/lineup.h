// The accelerators and engines an answer speaks of when the question names none. Reads
// data/lineup.yaml.
#pragma once

#include <string>
#include <vector>

#include "catalog/load/data_file.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct EngineLineup {
  std::string standard;              // The engine that is assumed where none is named.
  std::vector<std::string> compare;  // The engines that it is compared with.
  std::string steps;                 // The engine that single measured steps are taken to be of.
};

struct Lineup {
  std::string standard;              // The accelerator that is assumed where none is named.
  std::vector<std::string> compare;  // The accelerators that it is compared with.
  EngineLineup engines;
};

// A later file replaces an earlier one; one without engines leaves those as they are.
void load_lineup(const DataFile& file, Lineup& lineup, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
