#include "validation/training/row_weights.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/error_codes.h"
#include "base/statistics.h"

namespace loadfactor::validation {

namespace {

// Errors with what they count, while rows are added.
struct Weighted {
  std::vector<double> errors;
  std::vector<double> weights;

  void add(double predicted, double measured, double weight) {
    errors.push_back(100.0 * std::abs(predicted / measured - 1.0));
    weights.push_back(weight);
  }
  ErrorFigures figures() const {
    if (errors.empty()) return {};
    double total = 0;
    double weight = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      total += errors[i] * weights[i];
      weight += weights[i];
    }
    return {quantile_weighted(errors, weights, 0.5), total / weight,
            quantile_weighted(errors, weights, 0.9)};
  }
};

}  // namespace

Result<RowWeights> read_weights(const config::CsvTable& table, Diagnostics& diagnostics) {
  const auto id = table.column("id");
  const auto weight = table.column("weight");
  if (!id || !weight) {
    Error error;
    error.code = lf::kMissingColumn;
    error.message =
        std::string("a table of weights needs the column '") + (id ? "weight" : "id") + "'";
    error.hint = "one line per row of the results: id,weight";
    error.where.file = table.file;
    return error;
  }
  RowWeights weights;
  for (const auto& cells : table.rows) {
    const std::string& text = cells[*weight].text;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < 0) {
      diagnostics.add(table.error(lf::kNotANumber, cells[*weight], "'" + text + "' is not a weight",
                                  "a number of 0 or more"));
      continue;
    }
    weights[cells[*id].text] = value;
  }
  return weights;
}

WeightedFigures weigh(std::span<const RowPrediction> predictions, const RowWeights& weights) {
  WeightedFigures result;
  Weighted ours;
  Weighted baseline;
  double covered = 0;
  double total = 0;
  for (const RowPrediction& row : predictions) {
    const auto found = weights.find(row.id);
    if (found == weights.end()) ++result.without;
    if (found == weights.end() || found->second <= 0) continue;
    const double weight = found->second;
    ++result.rows;
    ours.add(row.predicted, row.measured, weight);
    if (row.baseline > 0) baseline.add(row.baseline, row.measured, weight);
    total += weight;
    if (row.low <= row.measured && row.measured <= row.high) covered += weight;
  }
  result.ours = ours.figures();
  result.baseline = baseline.figures();
  if (total > 0) result.coverage = 100.0 * covered / total;
  return result;
}

}  // namespace loadfactor::validation
