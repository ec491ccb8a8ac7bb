// The names of the nodes of a tree.
#pragma once

#include <string>

#include "engine/explain/explain.h"

namespace loadfactor::report {

// Names nodes. Leaves that are fields of an answer go by that field's description.
class ExplainWords {
 public:
  ExplainWords();
  std::string name_of(const engine::ExplainNode& node) const;

 private:
  Value train_;  // The schema of a training answer.
  Value fit_;
};

// Why a quantity is explained of the plan and not of `train`.
std::string misfit_words(const engine::MisfitRun& run);

}  // namespace loadfactor::report
