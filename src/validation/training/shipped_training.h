// What ships with the product for training: stacks, constants, published runs.
#pragma once

#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "training/job/calibration_file.h"
#include "training/job/stack_file.h"
#include "validation/training/published_run.h"

namespace loadfactor::validation {

struct ShippedTraining {
  training::StackShelf stacks;
  training::CalibrationFile calibration;
  std::vector<TrainingRow> rows;
  std::vector<SiteFact> sites;
  std::string production;  // The table of whole runs, as text; empty when there is none.
  std::string crossval;    // The text of the out-of-fold table; empty when there is none.

  RunContext context(const catalog::Catalog& catalog) const;
};

ShippedTraining load_shipped_training(const std::vector<catalog::DataFile>& files,
                                      Diagnostics& diagnostics);

}  // namespace loadfactor::validation
