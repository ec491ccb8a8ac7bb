// How right the step model is on a table of published runs, beside a trivial baseline.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "training/job/calibration_file.h"
#include "validation/row_watch.h"
#include "validation/training/layout_sweeps.h"
#include "validation/training/lookup_baseline.h"
#include "validation/training/published_run.h"

namespace loadfactor::validation {

// Percentages; quantiles by nearest rank.
struct ErrorFigures {
  double median = 0;
  double mean = 0;
  double p90 = 0;
};
ErrorFigures error_figures(std::span<const double> abs_errors);

struct SkippedRow {
  std::string id;
  std::string reason;
  std::string kind;   // Reasons of one kind are told together.
  unsigned line = 0;  // Line of the file; 0: not known.

  // `line 7 (row-6)`, as far as it is known.
  std::string name() const;
};

struct RowPrediction {
  std::string id;
  double measured = 0;  // Tokens per second and GPU; so are the next four.
  double predicted = 0;
  double low = 0;
  double high = 0;
  double baseline = 0;  // 0 when the baseline knows nothing.
  bool converted = false;
  std::size_t run = 0;  // Index of the run; predictions of one run stand together.
};

// Memory of the fullest device, in GB of 10^9 bytes, of the rows that state it.
struct MemoryValidation {
  std::vector<RowPrediction> predictions;
  ErrorFigures abs_error;
  double interval_coverage = 0;  // Percent.
};

struct GroupFigures {
  std::string by;  // One of source, accelerator, size, class, tier, stack, family.
  std::string name;
  int rows = 0;
  ErrorFigures ours;
  ErrorFigures baseline;
  double bias = 0;        // Mean of predicted over measured, less one, percent.
  double coverage = 0;    // Percent.
  double half_width = 0;  // Median of half the logarithm of high over low.
};

// Figures where every value of a group counts as one, however many rows it has.
struct EvenFigures {
  ErrorFigures ours;
  ErrorFigures baseline;
  double coverage = 0;  // Percent.
};

struct TrainingValidation {
  int rows = 0;
  int scored = 0;
  std::vector<SkippedRow> skipped;
  ErrorFigures abs_error;
  ErrorFigures baseline_abs_error;
  double interval_coverage = 0;    // Percent.
  double interval_half_width = 0;  // Median of half the logarithm of high over low.
  EvenFigures families;            // Every family of software counts as one.
  EvenFigures chips;               // Every accelerator does.
  std::vector<GroupFigures> groups;
  std::vector<RowPrediction> predictions;
  MemoryValidation memory;
  SweepSummary sweeps;
};

// Runs made of a table, and the rows that could not be.
struct PublishedTable {
  std::vector<std::unique_ptr<PublishedRun>> runs;
  std::vector<SkippedRow> skipped;
};
PublishedTable make_runs(std::span<const TrainingRow> rows, const RunContext& context,
                         const RowWatch& watch = {});

// The interval of a prediction, by how well the inputs of the run are known and by whether runs of
// its software and on its chip were among those fitted to.
training::IntervalWidth interval_of(const PublishedRun& run, const training::CalibrationFile& file,
                                    const training::Calibration& calibration);

TrainingValidation validate_training(const PublishedTable& table,
                                     const training::CalibrationFile& file,
                                     const LookupBaseline& baseline, const RowWatch& watch = {});

// Same figures for predictions made elsewhere (out of fold), in the order of `runs`.
TrainingValidation summarise(std::span<const PublishedRun* const> runs,
                             std::span<const RowPrediction> predictions);

}  // namespace loadfactor::validation
