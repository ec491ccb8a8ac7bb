// Refits the step model without the rows it is tested on, and writes down what it then says.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/training_fit.h"
#include "training/job/calibration_file.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

// Everything a recalibration yields.
struct Recalibration {
  training::CalibrationFile file;         // Fitted to all rows, intervals from left-out sources.
  std::vector<const PublishedRun*> runs;  // Those fitted: complete and partial rows.
  std::vector<double> in_sample;          // Tokens per second and GPU, in the order of `runs`.
  std::vector<double> by_fold;            // Predicted without the row's fold of configurations.
  std::vector<double> by_source;          // Predicted without the row's publication.
  std::vector<double> by_family;          // Predicted without the row's family of software.
  std::vector<double> by_chip;            // Predicted without all runs on the row's chip.
  std::vector<training::IntervalWidth> family_widths;  // What the other families give it.
  std::vector<training::IntervalWidth> chip_widths;    // What the other chips give it.
  std::vector<double> baseline_by_fold;    // The trivial predictor without the configuration.
  std::vector<double> baseline_by_source;  // The trivial predictor without the publication.
  double coverage_by_source = 0;           // Percent, widths from the other sources.
};

// Fits from the priors of `start`; its values are not used.
Recalibration recalibrate(const PublishedTable& table, const training::CalibrationFile& start);

// Out-of-fold predictions as a table: id, class, measured and the predictions.
std::string write_crossval(const Recalibration& result);

}  // namespace loadfactor::validation
