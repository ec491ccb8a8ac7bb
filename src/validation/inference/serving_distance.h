// How much less is known of a chip or an engine without published results: each is left out of
// the fit in turn, and the residuals of its rows are compared with those of sources left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serving/calibration_file.h"
#include "validation/inference/inference_run.h"
#include "validation/inference/serving_fit.h"

namespace loadfactor::validation {

// What rows have in common that are left out together.
using RunKey = std::string (*)(const InferenceRun&);

struct ServingFolds {
  std::span<const InferenceRun* const> runs;
  const NearbyFits* fits = nullptr;  // Those of constants fitted to all of them.
};

// Every run predicted by constants that have seen no run of its key. Where one key is all there
// is, by the constants of all. `simulated`, where it is asked for: what the simulator says of those
// that it scores, 0 of the others.
std::vector<double> predict_without(const ServingFolds& folds, RunKey key,
                                    std::vector<double>* simulated = nullptr);

// Widths of chips of whose results, as `predicted` has them, less than three quarters lie within
// the intervals of their classes: as far as nine of ten of their own reach.
std::vector<serving::IntervalWidth> doubted_chips(std::span<const InferenceRun* const> runs,
                                                  std::span<const double> predicted,
                                                  const serving::ServingCalibration& calibration);

// Adds to `to` the chips that have results, the widths of chips and of engines not seen, and lines
// of figures with the share of rows that are covered where each is left out. `near` has the
// intervals of all else.
void add_distances(const ServingFolds& folds, const serving::ServingCalibration& near,
                   serving::ServingCalibration& to);

}  // namespace loadfactor::validation
