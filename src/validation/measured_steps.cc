#include "validation/measured_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error_codes.h"
#include "training/step_time.h"

namespace loadfactor::validation {

namespace {

using training::TrainingJob;

constexpr std::array<std::string_view, 12> kColumns{
    "layers", "hidden", "heads", "kv_heads", "head_dim",    "ffn",
    "vocab",  "gated",  "seq",   "step_s",   "micro_batch", "recompute"};

// The cells of one row by the name of their column.
struct Cells {
  const config::CsvTable& table;
  const std::vector<config::CsvCell>& cells;

  const std::string& text(std::string_view column) const {
    return cells[*table.column(column)].text;
  }
  double number(std::string_view column) const {
    return std::strtod(text(column).c_str(), nullptr);
  }
  int whole(std::string_view column) const { return static_cast<int>(std::lround(number(column))); }
};

catalog::ModelSpec model_of(const Cells& row) {
  catalog::ModelSpec model;
  model.hidden = row.whole("hidden");
  model.embedding.vocab = row.whole("vocab");
  catalog::LayerSpec layer;
  layer.attention.heads = row.whole("heads");
  layer.attention.kv_heads = row.whole("kv_heads");
  layer.attention.head_dim = row.whole("head_dim");
  layer.mlp.width = row.whole("ffn");
  layer.mlp.kind = row.number("gated") > 0 ? catalog::MlpKind::kGated : catalog::MlpKind::kPlain;
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(std::max(0, row.whole("layers"))), 0);
  return model;
}

bool is_usable(const Cells& row) {
  return row.number("step_s") > 0 && row.number("hidden") > 0 && row.number("layers") > 0 &&
         row.number("seq") > 0 && row.number("micro_batch") > 0 && row.number("heads") > 0;
}

Error missing(const config::CsvTable& table, std::string_view column) {
  Error error;
  error.code = lf::kMissingColumn;
  error.message = "a table of training steps needs the column '" + std::string(column) + "'";
  error.where.file = table.file;
  return error;
}

void summarise_steps(StepValidation& result) {
  std::vector<double> errors;
  int covered = 0;
  for (const StepPrediction& row : result.predictions) {
    errors.push_back(100.0 * std::abs(row.predicted / row.measured - 1.0));
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
  }
  if (errors.empty()) return;
  result.abs_error = error_figures(errors);
  result.worst = *std::max_element(errors.begin(), errors.end());
  result.interval_coverage = 100.0 * covered / static_cast<double>(errors.size());
}

}  // namespace

Result<StepValidation> validate_steps(const config::CsvTable& table,
                                      const catalog::AcceleratorSpec& chip,
                                      const training::StackTraits& stack,
                                      const training::CalibrationFile& file) {
  for (const std::string_view column : kColumns) {
    if (!table.column(column)) return missing(table, column);
  }
  const training::Calibration calibration = file.calibration();
  const auto* constants = calibration.find(chip);
  StepValidation result;
  for (const auto& cells : table.rows) {
    const Cells row{table, cells};
    const std::string id = "row-" + std::to_string(++result.rows);
    if (constants == nullptr || !is_usable(row)) {
      result.skipped.push_back({id, constants == nullptr ? "no constants for " + chip.name
                                                         : "dimensions or time are missing"});
      continue;
    }
    const catalog::ModelSpec model = model_of(row);
    TrainingJob job;
    job.model = &model;
    job.chip = &chip;
    job.stack = &stack;
    job.sequence = row.whole("seq");
    job.layout.micro_batch = row.whole("micro_batch");
    job.global_batch = job.layout.micro_batch;
    job.layout.recompute.kind = row.text("recompute") == "full" ? training::RecomputeKind::kFull
                                                                : training::RecomputeKind::kNone;
    const double step = training::step_time(job, calibration.shared, *constants,
                                            calibration.families[constants->family])
                            .total()
                            .base();
    const auto& width = file.intervals[static_cast<std::size_t>(training::JobClass::kDense)];
    result.predictions.push_back(
        {id, row.number("step_s"), step, step * std::exp(-width.high), step * std::exp(width.low)});
  }
  summarise_steps(result);
  return result;
}

}  // namespace loadfactor::validation
