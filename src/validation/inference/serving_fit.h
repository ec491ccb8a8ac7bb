// Fits the constants of the serving model to published results: robust, with priors.
//
// Minimises Σ weight · ρ(log predicted − log measured) + Σ ((x − prior) / width)² by Gauss–Newton
// steps on reweighted residuals, where x is the logarithm of a constant and ρ grows linearly for
// large residuals. Deterministic.
#pragma once

#include <cstddef>
#include <functional>
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

// Refits with some runs left out, near the optimum of all of them: the slopes there serve every
// refit, whose residuals are looked at once more where it has led.
class NearbyFits {
 public:
  // All that is pointed to outlives the fits.
  NearbyFits(std::span<const WeightedRun> runs, const serving::ServingCalibration& calibration,
             const serving::Constants& optimum, const ServingFitOptions& options);

  using Selection = std::function<bool(const InferenceRun&)>;
  serving::Constants without(const Selection& is_left_out) const;

 private:
  using Kept = std::vector<bool>;
  struct Slope {
    std::size_t constant = 0;  // Its place in `free_`.
    double value = 0;
  };
  // Where the constants go from `at` if residuals were straight lines.
  std::vector<double> solve(std::span<const double> residuals, const Kept& is_kept,
                            const serving::Constants& at) const;
  std::vector<double> step(std::span<const double> residuals, const Kept& is_kept,
                           const serving::Constants& at, std::span<const double> so_far) const;

  std::span<const WeightedRun> runs_;
  const serving::ServingCalibration* calibration_;
  const serving::Constants* optimum_;
  ServingFitOptions options_;
  std::vector<std::size_t> free_;
  std::vector<double> residuals_;
  std::vector<std::vector<Slope>> slopes_;
};

// At most `most` runs of each source, model, chip and metric, evenly picked; they carry the
// weight of the whole cell.
std::vector<WeightedRun> thinned(std::span<const InferenceRun* const> runs, int most);

}  // namespace loadfactor::validation
