// Whole training steps measured on one accelerator, against the step model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "config/csv.h"
#include "training/job/calibration_file.h"
#include "training/job/stack_file.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

struct StepPrediction {
  std::string id;
  double measured = 0;  // Seconds, or GB of memory; the next three are in the same unit.
  double predicted = 0;
  double low = 0;
  double high = 0;
  std::size_t row = 0;
};

// One metric of all rows.
struct StepFigures {
  std::vector<StepPrediction> predictions;
  ErrorFigures abs_error;
  double worst = 0;              // Percent.
  double interval_coverage = 0;  // Percent.
};

struct StepValidation {
  std::string accelerator;
  std::vector<std::string> stacks;  // Stacks that were used, each once.
  int rows = 0;
  std::vector<SkippedRow> skipped;
  StepFigures time;
  StepFigures memory;  // Rows that state peak_mem_gb.
};

// What ran the steps where a row does not say it in a column `stack` or `framework`.
struct StepSoftware {
  const training::StackShelf* stacks = nullptr;
  const training::StackTraits* otherwise = nullptr;
  // What somebody measured of the parts of steps under a stack; empty: nothing.
  std::function<training::PartFactors(const std::string& stack)> measured = {};
};

// Columns: model, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, gated, seq,
// micro_batch, recompute, step_s; also read: peak_mem_gb, stack, framework. LF513 when one of
// the first is missing.
Result<StepValidation> validate_steps(const config::CsvTable& table,
                                      const catalog::AcceleratorSpec& chip,
                                      const StepSoftware& software,
                                      const training::CalibrationFile& file,
                                      const RowWatch& watch = {});

// Columns of such a table that nobody reads; a slip of one that is missing is LF502.
std::vector<std::string> unread_step_columns(const config::CsvTable& table,
                                             Diagnostics& diagnostics);

}  // namespace loadfactor::validation
