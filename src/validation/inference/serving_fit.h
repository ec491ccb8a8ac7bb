// Fits the constants of the serving model to published results: robust, with priors.
//
// Minimises Σ weight · ρ(log predicted − log measured) + Σ ((x − prior) / width)² by Gauss–Newton
// steps on reweighted residuals, where x is the logarithm of a constant and ρ grows linearly for
// large residuals. Deterministic.
#pragma once

#include <span>
#include <vector>

#include "serving/calibration_file.h"
#include "validation/inference/inference_run.h"

namespace loadfactor::validation {

struct ServingFitOptions {
  int rounds = 8;
  double scale = 0.12;   // Residuals beyond it count linearly.
  double spread = 0.30;  // What one unit of weight is worth against a prior.
};

struct WeightedRun {
  const InferenceRun* run = nullptr;
  double weight = 1;
};

serving::Constants fit_serving(std::span<const WeightedRun> runs,
                               const serving::ServingCalibration& calibration,
                               const serving::Constants& start, const ServingFitOptions& options);

// At most `most` runs of each source, model, chip and metric, evenly picked; they carry the
// weight of the whole cell.
std::vector<WeightedRun> thinned(std::span<const InferenceRun* const> runs, int most);

}  // namespace loadfactor::validation
