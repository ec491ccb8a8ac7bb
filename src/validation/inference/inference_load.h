// What a row and its remarks say about the load: its kind, lengths, prompts, bounds.
#pragma once

#include "serving/calibration_file.h"
#include "serving/closed_form.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

// Pools of a split deployment, from its remark; zeros where it says nothing.
struct SplitPools {
  int prefill_workers = 0, prefill_tp = 1, prefill_dp = 1, prefill_ep = 1;
  int decode_workers = 0, decode_tp = 1, decode_dp = 1, decode_ep = 1;
};
SplitPools split_pools(const std::string& notes);

serving::Load load_of_row(const InferenceRow& row, const serving::ServingCalibration& calibration);

}  // namespace loadfactor::validation
