#include "validation/training/training_validation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/statistics.h"
#include "calibrate/training_fit.h"
#include "validation/training/row_memory.h"
#include "workload/layer_weights.h"

namespace loadfactor::validation {

namespace {

// Converted measurements carry the uncertainty of the convention, as natural logarithm.
constexpr double kConversionDoubt = 0.03;
// Rows whose dimensions or layout had to be filled in, or whose weights are mostly frozen, lie
// outside what was fitted.
constexpr double kFilledInDoubt = 0.15;

double abs_error(double predicted, double measured) {
  return 100.0 * std::abs(predicted / measured - 1.0);
}

std::string size_of(const PublishedRun& run) {
  double weights = 0;
  for (int i = 0; i < run.model.num_layers(); ++i) {
    weights += workload::layer_weights(run.model, run.model.layer(i)).total();
  }
  if (weights < 3e9) return "below 3 B";
  if (weights < 15e9) return "3 to 15 B";
  return weights < 100e9 ? "15 to 100 B" : "above 100 B";
}

std::string_view tier_name(Tier tier) {
  switch (tier) {
    case Tier::kFull:
      return "complete";
    case Tier::kPartial:
      return "recomputation or micro-batch unknown";
    case Tier::kAdapter:
      return "adapter";
    case Tier::kRefused:
      return "out of memory";
    case Tier::kContext:
      return "dimensions or layout filled in";
  }
  return "";
}

std::string kind_of(int code) {
  switch (code) {
    case lf::kUnknownAccelerator:
      return "accelerator not known";
    case lf::kUnknownModel:
      return "model not known";
    case lf::kNotDivisible:
      return "a layout that cannot be";
    case lf::kNotANumber:
      return "a value that makes no sense";
    default:
      return "not stated";
  }
}

// Layouts of one model on one machine, as one publication measured them. Where the layout had to
// be filled in there is nothing to rank.
std::string sweep_of(const PublishedRun& run) {
  return fmt::format("{} on {} × {} ({})", run.row.model, run.job.layout.gpus, run.chip.name,
                     run.publication);
}

SweepSummary rank(std::span<const PublishedRun* const> runs,
                  std::span<const RowPrediction> predictions) {
  std::vector<SweepPoint> points;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Tier tier = runs[i]->tier;
    if (tier != Tier::kFull && tier != Tier::kPartial) continue;
    points.push_back({sweep_of(*runs[i]), predictions[i].measured, predictions[i].predicted});
  }
  return rank_sweeps(points);
}

void validate_memory(const PublishedTable& table, MemoryValidation& memory) {
  constexpr double kGigabyte = 1e9;
  std::vector<double> errors;
  int covered = 0;
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    const PublishedRun& run = *table.runs[i];
    if (!run.row.memory || *run.row.memory <= 0) continue;
    const auto said = predict_memory(run);
    if (!said) continue;
    RowPrediction row{run.row.id, *run.row.memory, said->used.base() / kGigabyte,
                      said->low.base() / kGigabyte, said->high.base() / kGigabyte};
    row.run = i;
    errors.push_back(abs_error(row.predicted, row.measured));
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
    memory.predictions.push_back(std::move(row));
  }
  if (errors.empty()) return;
  memory.abs_error = error_figures(errors);
  memory.interval_coverage = 100.0 * covered / static_cast<double>(errors.size());
}

// Sums of one group while rows are dealt to it.
struct Sums {
  std::vector<double> ours;
  std::vector<double> baseline;
  std::vector<double> half_widths;
  double bias = 0;
  int covered = 0;

  void add(const RowPrediction& row) {
    ours.push_back(abs_error(row.predicted, row.measured));
    if (row.baseline > 0) baseline.push_back(abs_error(row.baseline, row.measured));
    half_widths.push_back(row.low > 0 ? 0.5 * std::log(row.high / row.low) : 0.0);
    bias += row.predicted / row.measured - 1.0;
    covered += row.low <= row.measured && row.measured <= row.high ? 1 : 0;
  }
};

EvenFigures weigh_evenly(const std::map<std::pair<std::string, std::string>, Sums>& groups,
                         std::string_view by) {
  const auto of = [&](std::vector<double> Sums::*field) {
    std::vector<double> errors;
    std::vector<double> weights;
    std::vector<double> means;
    for (const auto& [key, sums] : groups) {
      const std::vector<double>& rows = sums.*field;
      if (key.first != by || rows.empty()) continue;
      errors.insert(errors.end(), rows.begin(), rows.end());
      weights.insert(weights.end(), rows.size(), 1.0 / static_cast<double>(rows.size()));
      means.push_back(mean(rows));
    }
    if (errors.empty()) return ErrorFigures{};
    return ErrorFigures{quantile_weighted(errors, weights, 0.5), mean(means),
                        quantile_weighted(errors, weights, 0.9)};
  };
  std::vector<double> covered;
  for (const auto& [key, sums] : groups)
    if (key.first == by)
      covered.push_back(100.0 * sums.covered / static_cast<double>(sums.ours.size()));
  return {of(&Sums::ours), of(&Sums::baseline), covered.empty() ? 0.0 : mean(covered)};
}

GroupFigures figures(const std::pair<std::string, std::string>& key, const Sums& sums) {
  GroupFigures group;
  group.by = key.first;
  group.name = key.second;
  group.rows = static_cast<int>(sums.ours.size());
  group.ours = error_figures(sums.ours);
  group.baseline = error_figures(sums.baseline);
  group.bias = 100.0 * sums.bias / group.rows;
  group.coverage = 100.0 * sums.covered / group.rows;
  group.half_width = quantile_nearest_rank(sums.half_widths, 0.5);
  return group;
}

}  // namespace

std::string SkippedRow::name() const {
  if (line == 0) return id;
  return id.empty() ? fmt::format("line {}", line) : fmt::format("line {} ({})", line, id);
}

ErrorFigures error_figures(std::span<const double> abs_errors) {
  if (abs_errors.empty()) return {};
  return {quantile_nearest_rank(abs_errors, 0.5), mean(abs_errors),
          quantile_nearest_rank(abs_errors, 0.9)};
}

PublishedTable make_runs(std::span<const TrainingRow> rows, const RunContext& context,
                         const RowWatch& watch) {
  PublishedTable table;
  for (const TrainingRow& row : rows) {
    if (!goes_on(watch, table.runs.size() + table.skipped.size(), rows.size())) break;
    auto run = make_run(row, context);
    if (run) {
      table.runs.push_back(std::move(*run));
    } else {
      table.skipped.push_back({row.id, run.error().message, kind_of(run.error().code)});
    }
  }
  return table;
}

training::IntervalWidth interval_of(const PublishedRun& run, const training::CalibrationFile& file,
                                    const training::Calibration& calibration) {
  const auto* chip = calibration.find(run.chip);
  const auto job = chip == nullptr ? training::JobClass::kMoe : job_class(run, *chip);
  training::IntervalWidth width = file.interval_on(
      run.chip.name, job, {run.job.stack->seen(), file.has_runs_on(run.chip.name)});
  if (run.converted) {
    width.low += kConversionDoubt;
    width.high += kConversionDoubt;
  }
  if (run.tier == Tier::kContext || run.tier == Tier::kAdapter) {
    width.low += kFilledInDoubt;
    width.high += kFilledInDoubt;
  }
  return width;
}

TrainingValidation summarise(std::span<const PublishedRun* const> runs,
                             std::span<const RowPrediction> predictions) {
  TrainingValidation result;
  Sums all;
  std::map<std::pair<std::string, std::string>, Sums> groups;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const PublishedRun& run = *runs[i];
    const RowPrediction& row = predictions[i];
    all.add(row);
    groups[{"source", run.publication}].add(row);
    groups[{"accelerator", run.chip.name}].add(row);
    groups[{"class", run.moe ? "mixture of experts" : "dense"}].add(row);
    groups[{"size", size_of(run)}].add(row);
    groups[{"tier", std::string(tier_name(run.tier))}].add(row);
    groups[{"stack", run.job.stack->name}].add(row);
    groups[{"family", run.job.stack->family}].add(row);
  }
  result.scored = static_cast<int>(predictions.size());
  result.predictions.assign(predictions.begin(), predictions.end());
  if (predictions.empty()) return result;
  result.abs_error = error_figures(all.ours);
  result.baseline_abs_error = error_figures(all.baseline);
  result.interval_coverage = 100.0 * all.covered / result.scored;
  result.interval_half_width = quantile_nearest_rank(all.half_widths, 0.5);
  for (const auto& [key, sums] : groups) result.groups.push_back(figures(key, sums));
  result.families = weigh_evenly(groups, "family");
  result.chips = weigh_evenly(groups, "accelerator");
  return result;
}

TrainingValidation validate_training(const PublishedTable& table,
                                     const training::CalibrationFile& file,
                                     const LookupBaseline& baseline, const RowWatch& watch) {
  const training::Calibration calibration = file.calibration();
  std::vector<const PublishedRun*> runs;
  std::vector<RowPrediction> predictions;
  std::vector<SkippedRow> skipped = table.skipped;
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    if (!goes_on(watch, i, table.runs.size())) break;
    const auto& run = table.runs[i];
    if (run->measured <= 0) {
      skipped.push_back({run->row.id,
                         run->tier == Tier::kRefused
                             ? "reported out of memory: no speed to compare"
                             : "neither a rate, a step time, TFLOP/s nor MFU is stated",
                         "no speed measured"});
      continue;
    }
    const double predicted = calibrate::predict(run->job, calibration);
    if (predicted <= 0) {
      skipped.push_back({run->row.id, "no constants for " + run->chip.name + " or its family",
                         "accelerator not known"});
      continue;
    }
    const auto width = interval_of(*run, file, calibration);
    runs.push_back(run.get());
    predictions.push_back({run->row.id, run->measured, predicted, predicted * std::exp(-width.low),
                           predicted * std::exp(width.high), baseline.predict(*run), run->converted,
                           i});
  }
  TrainingValidation result = summarise(runs, predictions);
  result.rows = static_cast<int>(table.runs.size() + table.skipped.size());
  result.skipped = std::move(skipped);
  result.sweeps = rank(runs, predictions);
  validate_memory(table, result.memory);
  return result;
}

}  // namespace loadfactor::validation
