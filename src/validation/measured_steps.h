// Whole training steps measured on one accelerator, against the step model.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "config/csv.h"
#include "training/calibration_file.h"
#include "training/stack_file.h"
#include "validation/training_validation.h"

namespace loadfactor::validation {

struct StepPrediction {
  std::string id;
  double measured = 0;  // Seconds, as are all four.
  double predicted = 0;
  double low = 0;
  double high = 0;
};

struct StepValidation {
  int rows = 0;
  std::vector<SkippedRow> skipped;
  ErrorFigures abs_error;
  double worst = 0;              // Percent.
  double interval_coverage = 0;  // Percent.
  std::vector<StepPrediction> predictions;
};

// Columns: model, layers, hidden, heads, kv_heads, head_dim, ffn, vocab, gated, seq,
// micro_batch, recompute, step_s. LF513 when one is missing.
Result<StepValidation> validate_steps(const config::CsvTable& table,
                                      const catalog::AcceleratorSpec& chip,
                                      const training::StackTraits& stack,
                                      const training::CalibrationFile& file);

}  // namespace loadfactor::validation
