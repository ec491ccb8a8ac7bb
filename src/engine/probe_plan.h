// What a probe should measure for one plan: its own shapes, and what would narrow it most.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

struct ProbeAdvice {
  std::string measurement;
  double share = 0;    // Of the step that it speaks of.
  double narrows = 0;  // The step's doubt, as a share of the step, that it would settle.
};

struct ProbePlan {
  std::vector<std::string> shapes;  // Lines of `loadfactor-probe --shapes`.
  std::vector<ProbeAdvice> advice;  // The three that narrow most, the most first.
};

// Nothing to measure where the model of the answer is in no catalogue.
ProbePlan plan_probe(const catalog::Catalog& catalog, const TrainAnswer& answer,
                     Diagnostics& diagnostics);

}  // namespace loadfactor::engine
