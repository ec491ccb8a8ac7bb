// Rows that cannot be: sizes that do not divide what they must.
#pragma once

#include <string>

#include "catalog/spec/model_spec.h"
#include "validation/training/training_row.h"

namespace loadfactor::validation {

// Why no run can have had this layout, or nothing. What a row leaves open is not held against it.
std::string impossible_layout(const TrainingRow& row, const catalog::ModelSpec& model);

}  // namespace loadfactor::validation
