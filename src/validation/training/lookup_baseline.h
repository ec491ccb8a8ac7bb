// The trivial predictor that ours must beat: the median efficiency of runs on the same chip.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "validation/training/published_run.h"

namespace loadfactor::validation {

// Efficiency is counted model work (whole attention matrix) over the chip's 16-bit peak. Looked
// up by chip, width of the format and dense or mixture of experts; where nothing is known of
// that, by chip and class, by class, and over all.
class LookupBaseline {
 public:
  explicit LookupBaseline(std::span<const PublishedRun* const> known);

  // Tokens per second and GPU; 0 when nothing at all is known. A run does not count towards
  // its own prediction when others share its key.
  double predict(const PublishedRun& run) const;

 private:
  std::map<std::string, std::vector<std::pair<std::string, double>>> by_key_;
};

}  // namespace loadfactor::validation
