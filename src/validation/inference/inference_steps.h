// Whole decode and prefill steps measured on one accelerator, against the step model.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "config/csv.h"
#include "serving/calibration_file.h"
#include "serving/hardware.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

struct InferenceStep {
  std::string id;
  std::string metric;   // One of decode, prefill, decode_memory, prefill_memory.
  std::string subject;  // Model, precision and batch, for people.
  double measured = 0;  // Seconds, or GB.
  double predicted = 0;
  double low = 0;
  double high = 0;
  bool device_bound = true;  // False: the host launches kernels slower than the device runs them.
  double tokens = 0;
  double least = 0;     // Seconds at peak arithmetic and bandwidth.
  double baseline = 0;  // `least` times the median of measured over least of the same phase.
};

struct StepGroup {
  std::string name;
  int rows = 0;
  ErrorFigures abs_error;
  ErrorFigures baseline;
  double bias = 0;      // Median, percent.
  double coverage = 0;  // Percent.
};

struct InferenceStepValidation {
  int rows = 0;
  std::vector<SkippedRow> skipped;
  ErrorFigures abs_error;  // Errors of times, not of memory.
  ErrorFigures baseline;
  double interval_coverage = 0;
  std::vector<StepGroup> groups;
  std::vector<InferenceStep> predictions;
};

// Whether the table holds inference steps: it says which phase.
bool holds_inference_steps(const config::CsvTable& table);

// Columns: model, precision, phase, batch, tokens_in, kv_len, seconds; layers, hidden, heads,
// kv_heads, head_dim, ffn, vocab, gated win over the catalogue where given.
Result<InferenceStepValidation> validate_inference_steps(
    const config::CsvTable& table, const catalog::AcceleratorSpec& chip,
    const catalog::Catalog& catalog, serving::HardwareShelf& hardware,
    const serving::ServingCalibration& calibration, const RowWatch& watch = {});

}  // namespace loadfactor::validation
