#include "validation/training/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace loadfactor::validation {

namespace {

using calibrate::FitOptions;
using calibrate::FitRow;

constexpr int kFolds = 10;

training::CalibrationFile at_priors(training::CalibrationFile file) {
  for (auto& entry : file.constants) entry.fitted.value = entry.fitted.prior;
  for (auto& chip : file.chips) {
    for (auto& sustained : chip.sustained) sustained.value = sustained.prior;
  }
  return file;
}

FitRow fit_row(const PublishedRun& run, const training::ChipConstants& chip) {
  FitRow row;
  row.job = &run.job;
  row.measured = run.measured;
  row.job_class = job_class(run, chip);
  row.publication = run.publication;
  row.configuration = run.configuration;
  return row;
}

// Intervals of each source taken from the residuals of all others.
double coverage_by_source(std::span<const FitRow> rows, std::span<const double> predictions) {
  std::set<std::string> sources;
  for (const FitRow& row : rows) sources.insert(row.publication);
  int covered = 0;
  for (const std::string& source : sources) {
    std::vector<FitRow> others;
    std::vector<double> said;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].publication == source) continue;
      others.push_back(rows[i]);
      said.push_back(predictions[i]);
    }
    const auto widths = calibrate::conformal_widths(others, said);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].publication != source) continue;
      const auto& width = widths[static_cast<std::size_t>(rows[i].job_class)];
      const double residual = std::log(predictions[i] / rows[i].measured);
      covered += residual <= width.low && -residual <= width.high ? 1 : 0;
    }
  }
  return 100.0 * covered / static_cast<double>(rows.size());
}

// The trivial predictor on every run, from the runs that differ from it in `field`.
std::vector<double> baseline_without(std::span<const PublishedRun* const> runs,
                                     std::string PublishedRun::*field) {
  std::vector<double> result;
  std::map<std::string, LookupBaseline> baselines;
  for (const PublishedRun* run : runs) {
    auto found = baselines.find(run->*field);
    if (found == baselines.end()) {
      std::vector<const PublishedRun*> others;
      std::copy_if(runs.begin(), runs.end(), std::back_inserter(others),
                   [&](const PublishedRun* r) { return r->*field != run->*field; });
      found = baselines.emplace(run->*field, LookupBaseline(others)).first;
    }
    result.push_back(found->second.predict(*run));
  }
  return result;
}

}  // namespace

Recalibration recalibrate(const PublishedTable& table, const training::CalibrationFile& start) {
  Recalibration result;
  const training::CalibrationFile priors = at_priors(start);
  const training::Calibration known = priors.calibration();
  std::vector<FitRow> rows;
  for (const auto& run : table.runs) {
    const auto* chip = known.find(run->chip);
    const bool stated = run->tier == Tier::kFull || run->tier == Tier::kPartial;
    if (!stated || run->measured <= 0 || chip == nullptr) continue;
    result.runs.push_back(run.get());
    rows.push_back(fit_row(*run, *chip));
  }
  result.file = calibrate::fit_training(priors, rows, FitOptions{});
  const training::Calibration fitted = result.file.calibration();
  for (const FitRow& row : rows) result.in_sample.push_back(calibrate::predict(*row.job, fitted));
  FitOptions fold_options;
  fold_options.iterations = 5;  // From the fit to all rows, a fold's optimum is near.
  result.by_fold = calibrate::cross_validate(
      result.file, rows, calibrate::folds_by_configuration(rows, kFolds), fold_options);
  result.by_source = calibrate::cross_validate(result.file, rows,
                                               calibrate::folds_by_publication(rows), fold_options);
  result.file.intervals = calibrate::conformal_widths(rows, result.by_source);
  result.coverage_by_source = coverage_by_source(rows, result.by_source);
  result.baseline_by_fold = baseline_without(result.runs, &PublishedRun::configuration);
  result.baseline_by_source = baseline_without(result.runs, &PublishedRun::publication);
  return result;
}

std::string write_crossval(const Recalibration& result) {
  std::string out =
      "id,source,accelerator,class,measured,in_sample,without_fold,without_source,"
      "baseline_without_configuration,baseline_without_source\n";
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const PublishedRun& run = *result.runs[i];
    out += fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", run.row.id,
                       run.publication, run.chip.name, run.moe ? "moe" : "dense", run.measured,
                       result.in_sample[i], result.by_fold[i], result.by_source[i],
                       result.baseline_by_fold[i], result.baseline_by_source[i]);
  }
  return out;
}

}  // namespace loadfactor::validation
