// The load of a published run, by the columns of its row (row_remarks.h fills them).
#pragma once

#include <string>

#include "serving/calibration_file.h"
#include "serving/closed_form.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

// Instances of one pool of a split deployment; no workers where nothing is said.
struct PoolShape {
  int workers = 0, tp = 1, dp = 1, ep = 1;
};
PoolShape pool_shape(const std::string& cell);

struct RowLoad : serving::Load {
  double spread = 0;  // Lengths lie evenly so far to both sides of the mean, as a share of it.
};
RowLoad load_of_row(const InferenceRow& row, const serving::ServingCalibration& calibration);

}  // namespace loadfactor::validation
