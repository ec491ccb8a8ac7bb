// Why a published serving result cannot be scored, whatever its model and chip.
#pragma once

#include <optional>
#include <string>

#include "catalog/spec/model_spec.h"
#include "serving/calibration_file.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

// Its value is beyond anything that is measured, or the length of its prompts is missing and its
// remarks do not give it either.
std::optional<std::string> find_row_fault(const InferenceRow& row,
                                          const serving::ServingCalibration& calibration);

// Its tp splits neither heads nor key-value heads. Cores of Neuron chips pad theirs.
std::optional<std::string> find_degree_fault(const InferenceRow& row,
                                             const catalog::ModelSpec& model);

}  // namespace loadfactor::validation
