// How right the models behind a plan are, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadfactor::report {

// Published training runs that were predicted: errors and coverage in percent.
struct TrainingAccuracy {
  std::string accelerator;  // That of the plan.
  bool is_own = false;  // The runs are on it; otherwise no run on it is known and these are all.
  int runs = 0;
  double median = 0;
  double p90 = 0;
  double coverage = 0;         // Share of them within the interval.
  double baseline_median = 0;  // Error of a trivial lookup.
};

struct PlanAccuracy {
  std::optional<TrainingAccuracy> training;
  std::optional<std::vector<std::string>> serving;  // Figures that the calibration was left with.
};
std::string words_of(const PlanAccuracy& accuracy);

}  // namespace loadfactor::report
