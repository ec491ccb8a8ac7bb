// Refits the serving model without each source in turn, and writes down what it then says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validation/inference_validation.h"
#include "validation/serving_fit.h"

namespace loadfactor::validation {

struct ServingRecalibration {
  serving::ServingCalibration calibration;  // Fitted to all; intervals from left-out sources.
  InferenceValidation in_sample;
  InferenceValidation out_of_source;  // Intervals from the other sources' residuals.
};

struct RecalibrationOptions {
  int rows_per_cell = 12;
  ServingFitOptions fit;
};

// Fits from the priors of `start`; its values are not used. Runs carry their weights.
ServingRecalibration recalibrate_serving(std::span<const InferenceRun* const> runs,
                                         const serving::ServingCalibration& start,
                                         const RecalibrationOptions& options);

// Interval widths by metric and class from residuals log(measured / predicted).
std::vector<serving::IntervalWidth> interval_widths(std::span<const InferenceRun* const> runs,
                                                    std::span<const double> predicted);

}  // namespace loadfactor::validation
