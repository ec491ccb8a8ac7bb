// Whole pre-training runs: the hours that were paid beside those that the steady step promises.
//
// A run states its model, tokens, machine and hours, and seldom its layout: the fastest of
// likely_layouts() is taken. Failures, restarts, checkpoints, evaluations, slow nodes, warm-up and
// steps that were taken again are losses with names; what is left, with the error of the step, is
// one factor, fitted to the other runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "training/job/calibration_file.h"
#include "training/reliability.h"
#include "training/run_losses.h"
#include "validation/training/published_run.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

struct ProductionRow {
  TrainingRow run;       // Without a layout; its batch and sequence where they are known.
  double tokens = 0;     // Tokens of the whole run.
  double gpu_hours = 0;  // That were paid.
};

// Columns of published training runs, and tokens_b, batch_tokens_m, accelerator_hours. A table
// without tokens or hours is LF513.
Result<std::vector<ProductionRow>> read_production_rows(const config::CsvTable& table);

// Layouts that a run may have had whose row states none: accelerators as many as end the run in a
// month at four tenths of the peak, a power of two; every tp of a node and every depth whose state
// fills no more than six tenths of the memory, interleaved or not; experts over a node or over 64;
// micro-batches of one to eight sequences, of which fastest() leaves out those without room.
// Whoever pays for a month takes the fastest of them that the software can run.
std::vector<TrainingRow> likely_layouts(const ProductionRow& row, const catalog::ModelSpec& model,
                                        const catalog::AcceleratorSpec& chip);

// Hours of accelerators for a trillion tokens.
struct ProductionPrediction {
  std::string id;
  std::string model;
  std::string accelerator;
  int gpus = 1;
  bool from_memory = false;  // Facts that nobody looked up.
  double measured = 0;
  double steady = 0;         // As a benchmark of the step has it.
  double with_failures = 0;  // And failures, restarts and checkpoints.
  double with_names = 0;     // And all other losses that have a name.
  double predicted = 0;      // And what else the other runs lost.
  double low = 0;
  double high = 0;
  training::Goodput goodput;
};

struct ProductionValidation {
  int rows = 0;
  std::vector<SkippedRow> skipped;
  std::vector<ProductionPrediction> predictions;
  ErrorFigures steady_error;  // How far off the benchmark's figure is.
  ErrorFigures
      abs_error;  // How far off the run's is, each run left out of the factor that it gets.
  double interval_coverage = 0;  // Percent, likewise.
  double other_losses = 1;       // Hours over those with all named losses, middle of all runs,
  double other_low = 1;          // and as far as nine of ten of them lie.
  double other_high = 1;
  training::RunLosses named;
};

ProductionValidation validate_production(std::span<const ProductionRow> rows,
                                         const RunContext& context,
                                         const training::CalibrationFile& file);

}  // namespace loadfactor::validation
