// Refits the serving model without each source in turn, and writes down what it then says.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "validation/inference/inference_validation.h"
#include "validation/inference/serving_fit.h"

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

// Classes that have widths of their own: enough sources speak for them.
using IntervalClasses = std::set<std::pair<serving::Metric, std::string>>;
IntervalClasses interval_classes(std::span<const InferenceRun* const> runs);

// Interval widths of the classes from residuals log(measured / predicted). Where a source is left
// out, the classes are still those of all sources.
std::vector<serving::IntervalWidth> interval_widths(std::span<const InferenceRun* const> runs,
                                                    std::span<const double> predicted,
                                                    const IntervalClasses& classes);
// The same of figures of the simulator by the kind of load, where enough rows and sources have one;
// 0: the row is none that the simulator scores.
std::vector<serving::IntervalWidth> simulated_widths(std::span<const InferenceRun* const> runs,
                                                     std::span<const double> predicted);

}  // namespace loadfactor::validation
