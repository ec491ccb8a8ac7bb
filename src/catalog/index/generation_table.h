// All generations of all engines in one list, each laid over the one it is like.
#pragma once

#include <string>
#include <vector>

#include "catalog/spec/engine_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// A generation that cannot be made, and the word of its file that says why.
struct GenerationFault {
  Provenance at;
  std::string word;
  Error error;
};

struct GenerationTable {
  std::vector<EngineGeneration> generations;  // By engine, then as its file has them.
  std::vector<GenerationFault> faults;
};

// LF515 for a name that two have, LF506 for one that is like none, LF521 for two that are like
// each other. Those with faults are left out.
GenerationTable make_generations(const std::vector<EngineSpec>& engines);

}  // namespace loadfactor::catalog
