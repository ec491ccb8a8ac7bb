// Fits the constants of the step model to measured runs: robust, with priors.
//
// Minimises Σ t-loss(log predicted − log measured) + Σ ((x − prior) / width)² / 2 by
// Gauss–Newton steps on reweighted residuals, where x is the logarithm of a constant (the
// logit, for one that is a share). Deterministic; the result does not depend on the order of
// the rows beyond rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "training/job/calibration_file.h"
#include "training/job/job.h"

namespace loadfactor::calibrate {

struct FitRow {
  const training::TrainingJob* job = nullptr;
  double measured = 0;  // Tokens per second and GPU.
  double weight = 1;
  training::JobClass job_class = training::JobClass::kDense;
  std::string publication;
  std::string configuration;
  std::string family;  // The family of software, whose runs share a level.
  std::string chip;
};

struct FitOptions {
  int iterations = 12;
  double scale = 0.06;            // Width of the residuals, natural logarithm.
  double degrees_of_freedom = 3;  // Those of the t-distribution.
  double level_width = 0.15;      // How far software of one family lies off, natural logarithm.
};

// Predicted tokens per second and GPU; 0 when the chip has no constants.
double predict(const training::TrainingJob& job, const training::Calibration& calibration);

// Starts from the values of `start` and returns it with new values and errors.
training::CalibrationFile fit_training(const training::CalibrationFile& start,
                                       std::span<const FitRow> rows, const FitOptions& options);

// For every row the prediction of a fit that did not see its fold. `fold` gives the fold of a
// row; rows of negative folds are only trained on.
std::vector<double> cross_validate(const training::CalibrationFile& start,
                                   std::span<const FitRow> rows, std::span<const int> folds,
                                   const FitOptions& options);

// Ten folds by configuration, stable under reordering; one fold per publication, family or chip.
std::vector<int> folds_by_configuration(std::span<const FitRow> rows, int folds);
std::vector<int> folds_by_publication(std::span<const FitRow> rows);
std::vector<int> folds_by_family(std::span<const FitRow> rows);
std::vector<int> folds_by_chip(std::span<const FitRow> rows);

// Interval widths per class such that nine tenths of log residuals lie inside.
std::array<training::IntervalWidth, training::kNumJobClasses> conformal_widths(
    std::span<const FitRow> rows, std::span<const double> predictions);

// Whether an interval has its own width to each side, or reaches as far to both: on which side some
// chips lie says little about the next.
enum class Sides : std::uint8_t { kApart, kAlike };

// The same of dense or other rows alone, where every value of `field` (a family of software, a
// chip) counts as one.
training::IntervalWidth widths_by(std::string FitRow::*field, std::span<const FitRow> rows,
                                  std::span<const double> predictions, bool moe, Sides sides);

}  // namespace loadfactor::calibrate
