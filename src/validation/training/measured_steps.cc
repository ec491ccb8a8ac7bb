#include "validation/training/measured_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"
#include "training/memory/memory_plan.h"
#include "training/step/step_time.h"

namespace loadfactor::validation {

namespace {

using training::TrainingJob;

constexpr std::array<std::string_view, 12> kColumns{
    "layers", "hidden", "heads", "kv_heads", "head_dim",    "ffn",
    "vocab",  "gated",  "seq",   "step_s",   "micro_batch", "recompute"};

// Read where there; the last ones follow from others and are rightly of no effect.
constexpr std::array<std::string_view, 10> kAlsoRead{
    "id",        "model",       "peak_mem_gb",  "stack",  "framework",
    "fwd_bwd_s", "optimizer_s", "tokens_per_s", "params", "model_tflops"};

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
  const bool gated = row.number("gated") > 0;
  model.hidden = row.whole("hidden");
  model.embedding.vocab = row.whole("vocab");
  model.norm = gated ? catalog::NormKind::kRms : catalog::NormKind::kLayerNoBias;
  catalog::LayerSpec layer;
  layer.attention.heads = row.whole("heads");
  layer.attention.kv_heads = row.whole("kv_heads");
  layer.attention.head_dim = row.whole("head_dim");
  layer.mlp.width = row.whole("ffn");
  layer.mlp.kind = gated ? catalog::MlpKind::kGated : catalog::MlpKind::kPlain;
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(row.whole("layers")), 0);
  return model;
}

// The first dimension that cannot be, in words; nothing if all can.
std::string nonsense(const Cells& row) {
  constexpr double kLargestDimension = 1e9;
  for (const std::string_view column : kColumns) {
    if (column == "recompute" || column == "gated") continue;
    const double value = row.number(column);
    if (!(value > 0 && value < kLargestDimension))
      return fmt::format("{} '{}' is not a positive number", column, row.text(column));
  }
  constexpr double kMostLayers = 1e4;
  if (row.number("layers") > kMostLayers) return "more layers than any model has";
  const std::string& recompute = row.text("recompute");
  if (recompute != "none" && recompute != "full" && recompute != "selective")
    return fmt::format("recompute '{}' is none of none, selective and full", recompute);
  return {};
}

const training::StackTraits* stack_of_step(const Cells& row, const StepSoftware& software,
                                           const catalog::AcceleratorSpec& chip) {
  for (const std::string_view column : {"stack", "framework"}) {
    if (!row.table.column(column) || row.text(column).empty()) continue;
    if (const auto* named = software.stacks->find(row.text(column))) return named;
    training::StackQuery query;
    query.framework = row.text(column);
    query.chip_family = chip.family;
    return software.stacks->match(query);
  }
  return software.otherwise;
}

training::RecomputeKind recompute_of(const std::string& word) {
  if (word == "full") return training::RecomputeKind::kFull;
  return word == "selective" ? training::RecomputeKind::kSelective : training::RecomputeKind::kNone;
}

Error missing(const config::CsvTable& table, std::string_view column) {
  Error error;
  error.code = lf::kMissingColumn;
  error.message = "a table of training steps needs the column '" + std::string(column) + "'";
  error.where.file = table.file;
  return error;
}

void summarise_steps(StepFigures& figures) {
  std::vector<double> errors;
  int covered = 0;
  for (const StepPrediction& row : figures.predictions) {
    errors.push_back(100.0 * std::abs(row.predicted / row.measured - 1.0));
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
  }
  if (errors.empty()) return;
  figures.abs_error = error_figures(errors);
  figures.worst = *std::max_element(errors.begin(), errors.end());
  figures.interval_coverage = 100.0 * covered / static_cast<double>(errors.size());
}

// Everything that one row is predicted with.
class StepPredictor {
 public:
  StepPredictor(const catalog::AcceleratorSpec& chip, const StepSoftware& software,
                const training::CalibrationFile& file)
      : chip_(chip),
        software_(software),
        width_(file.intervals[static_cast<std::size_t>(training::JobClass::kDense)]),
        calibration_(file.calibration()),
        constants_(calibration_.find(chip)) {}

  // The reason and its kind when a row cannot be predicted.
  void add(const Cells& row, const std::string& id, StepValidation& result) const {
    if (constants_ == nullptr)
      return result.skipped.push_back(
          {id, "no constants for " + chip_.name, "accelerator not known"});
    if (auto wrong = nonsense(row); !wrong.empty())
      return result.skipped.push_back({id, std::move(wrong), "a value that makes no sense"});
    const auto* stack = stack_of_step(row, software_, chip_);
    if (stack == nullptr)
      return result.skipped.push_back({id, "the software cannot be known", "not stated"});
    if (std::find(result.stacks.begin(), result.stacks.end(), stack->name) == result.stacks.end())
      result.stacks.push_back(stack->name);
    const catalog::ModelSpec model = model_of(row);
    const TrainingJob job = job_of(row, model, *stack);
    add_time(job, row, id, result);
    if (row.table.column("peak_mem_gb")) add_memory(job, row, id, result);
  }

 private:
  TrainingJob job_of(const Cells& row, const catalog::ModelSpec& model,
                     const training::StackTraits& stack) const {
    TrainingJob job;
    job.model = &model;
    job.chip = &chip_;
    job.stack = &stack;
    job.step_alone = true;
    if (software_.measured) job.measured = software_.measured(stack.name);
    job.sequence = row.whole("seq");
    job.layout.micro_batch = row.whole("micro_batch");
    job.global_batch = job.layout.micro_batch;
    job.layout.recompute.kind = recompute_of(row.text("recompute"));
    return job;
  }

  void add_time(const TrainingJob& job, const Cells& row, const std::string& id,
                StepValidation& result) const {
    const double step = training::step_time(job, calibration_.shared, *constants_,
                                            calibration_.families[constants_->family])
                            .total()
                            .base();
    result.time.predictions.push_back({id, row.number("step_s"), step,
                                       step * std::exp(-width_.high), step * std::exp(width_.low),
                                       static_cast<std::size_t>(result.rows)});
  }

  // Tensors alone are compared: what an allocator counts as allocated.
  static void add_memory(const TrainingJob& job, const Cells& row, const std::string& id,
                         StepValidation& result) {
    constexpr double kGigabyte = 1e9;
    constexpr double kDoubt = 0.05;
    const double measured = row.number("peak_mem_gb");
    if (!(measured > 0)) return;
    const auto plan = training::plan_memory(training::memory_question(job));
    const double said = plan.peak().allocated().base() / kGigabyte;
    result.memory.predictions.push_back({id, measured, said, said * (1.0 - kDoubt),
                                         said * (1.0 + kDoubt),
                                         static_cast<std::size_t>(result.rows)});
  }

  const catalog::AcceleratorSpec& chip_;
  StepSoftware software_;
  training::IntervalWidth width_;
  training::Calibration calibration_;
  const training::ChipConstants* constants_;
};

}  // namespace

Result<StepValidation> validate_steps(const config::CsvTable& table,
                                      const catalog::AcceleratorSpec& chip,
                                      const StepSoftware& software,
                                      const training::CalibrationFile& file,
                                      const RowWatch& watch) {
  for (const std::string_view column : kColumns) {
    if (!table.column(column)) return missing(table, column);
  }
  const StepPredictor predictor(chip, software, file);
  StepValidation result;
  result.accelerator = chip.name;
  for (const auto& cells : table.rows) {
    if (!goes_on(watch, static_cast<std::size_t>(result.rows), table.rows.size())) break;
    const Cells row{table, cells};
    const auto id = table.column("id");
    const std::string number = fmt::format("row-{}", ++result.rows);
    predictor.add(row, id && !cells[*id].text.empty() ? cells[*id].text : number, result);
  }
  summarise_steps(result.time);
  summarise_steps(result.memory);
  return result;
}

std::vector<std::string> unread_step_columns(const config::CsvTable& table,
                                             Diagnostics& diagnostics) {
  std::vector<std::string> absent;
  for (const std::string_view column : kColumns) {
    if (!table.column(column)) absent.emplace_back(column);
  }
  std::vector<std::string> unread;
  for (const auto& cell : table.header) {
    const auto is_this = [&](std::string_view name) { return name == cell.text; };
    if (std::any_of(kColumns.begin(), kColumns.end(), is_this) ||
        std::any_of(kAlsoRead.begin(), kAlsoRead.end(), is_this))
      continue;
    const auto meant = config::suggest(cell.text, absent);
    if (meant) {
      diagnostics.add(table.error(lf::kUnknownKey, cell, "no column '" + cell.text + "' is read",
                                  "did you mean '" + *meant + "'?"));
    } else {
      unread.push_back(cell.text);
    }
  }
  return unread;
}

}  // namespace loadfactor::validation
