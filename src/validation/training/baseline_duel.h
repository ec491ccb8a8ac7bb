// Which sources the trivial predictor knows better than we do, both without having seen them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "training/job/constants.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

// Fewer rows than this say nothing about a source.
inline constexpr int kFewestRowsOfSource = 5;

struct LostSource {
  std::string name;
  int rows = 0;
  ErrorFigures ours;
  ErrorFigures baseline;
  bool by_mean = false;
  bool by_median = false;
  std::string reason;  // What most of its rows are, which way we err, where their time goes.
};

struct BaselineDuel {
  int sources = 0;
  int lost_by_mean = 0;
  int lost_by_median = 0;
  std::vector<LostSource> lost;

  double not_worse_by_mean() const { return share(lost_by_mean); }
  double not_worse_by_median() const { return share(lost_by_median); }

 private:
  double share(int count) const {
    return sources > 0 ? 100.0 * (sources - count) / sources : 100.0;
  }
};

// `predictions` were made without the source of their run, in the order of `runs`.
BaselineDuel duel_with_baseline(std::span<const PublishedRun* const> runs,
                                std::span<const RowPrediction> predictions,
                                const training::Calibration& calibration);

}  // namespace loadfactor::validation
