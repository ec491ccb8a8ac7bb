// The model of a row: its own dimensions first, then the catalogue's, then its remarks.
#pragma once

#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "validation/training/training_row.h"

namespace loadfactor::validation {

struct RowModel {
  catalog::ModelSpec spec;
  bool from_row = true;  // Every dimension was stated by the row.
};

// LF402 when neither the row nor the catalogue knows the dimensions.
Result<RowModel> model_of_row(const TrainingRow& row, const catalog::Catalog& catalog);

}  // namespace loadfactor::validation
