// How much each row of a table counts.
#pragma once

#include <map>
#include <span>
#include <string>

#include "config/csv.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

using RowWeights = std::map<std::string, double>;

// Columns `id` and `weight`; LF513 without them, LF208 for a weight that is none.
Result<RowWeights> read_weights(const config::CsvTable& table, Diagnostics& diagnostics);

struct WeightedFigures {
  int rows = 0;     // Rows with a weight above zero.
  int without = 0;  // Rows that the file does not name; they do not count.
  ErrorFigures ours;
  ErrorFigures baseline;
  double coverage = 0;  // Percent.
};

WeightedFigures weigh(std::span<const RowPrediction> predictions, const RowWeights& weights);

}  // namespace loadfactor::validation
