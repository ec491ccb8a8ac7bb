#include "validation/training/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/statistics.h"

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
  row.family = run.job.stack->family;
  row.chip = run.chip.name;
  return row;
}

// Rows that differ in `field` from one value of it, and what was predicted of them.
struct Others {
  std::vector<FitRow> rows;
  std::vector<double> said;

  Others(std::span<const FitRow> all, std::span<const double> predictions,
         std::string FitRow::*field, const std::string& value) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].*field == value) continue;
      rows.push_back(all[i]);
      said.push_back(predictions[i]);
    }
  }
};

bool covers(const training::IntervalWidth& width, double predicted, double measured) {
  const double residual = std::log(predicted / measured);
  return residual <= width.low && -residual <= width.high;
}

std::set<std::string> values_of(std::span<const FitRow> rows, std::string FitRow::*field) {
  std::set<std::string> values;
  for (const FitRow& row : rows) values.insert(row.*field);
  return values;
}

// Intervals of each source taken from the residuals of all others.
double coverage_by_source(std::span<const FitRow> rows, std::span<const double> predictions) {
  int covered = 0;
  for (const std::string& source : values_of(rows, &FitRow::publication)) {
    const Others others(rows, predictions, &FitRow::publication, source);
    const auto widths = calibrate::conformal_widths(others.rows, others.said);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].publication != source) continue;
      const auto& width = widths[static_cast<std::size_t>(rows[i].job_class)];
      covered += covers(width, predictions[i], rows[i].measured) ? 1 : 0;
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

namespace {

using training::CalibrationFile;
using training::IntervalWidth;
using training::JobClass;

// Intervals of what lies in none of the values of `field`, dense and mixture.
struct FarWidths {
  IntervalWidth dense;
  IntervalWidth moe;
};

FarWidths far_widths(const Others& of, std::string FitRow::*field, calibrate::Sides sides) {
  return {calibrate::widths_by(field, of.rows, of.said, false, sides),
          calibrate::widths_by(field, of.rows, of.said, true, sides)};
}

// All intervals as the rows give them that differ from one value of `field`; "" for those of all.
CalibrationFile without(std::span<const FitRow> rows, const Recalibration& result,
                        std::string FitRow::*field, const std::string& value) {
  CalibrationFile file;
  const Others near(rows, result.by_source, field, value);
  file.intervals = calibrate::conformal_widths(near.rows, near.said);
  const FarWidths software = far_widths(Others(rows, result.by_family, field, value),
                                        &FitRow::family, calibrate::Sides::kApart);
  const FarWidths chips = far_widths(Others(rows, result.by_chip, field, value), &FitRow::chip,
                                     calibrate::Sides::kAlike);
  const auto place = [&file](JobClass c) -> IntervalWidth& {
    return file.intervals[static_cast<std::size_t>(c)];
  };
  place(JobClass::kForeign) = software.dense;
  place(JobClass::kForeignMoe) = software.moe;
  place(JobClass::kNewChip) = chips.dense;
  place(JobClass::kNewChipMoe) = chips.moe;
  return file;
}

// For each row the interval that the other values of `field` would have given a job of its class
// that is familiar but for what `familiar` says. Software that is left out leaves chips without
// runs as well, which the residuals of the others show too: no doubt is counted twice.
std::vector<IntervalWidth> widths_without(std::span<const FitRow> rows, const Recalibration& result,
                                          std::string FitRow::*field, training::Familiar familiar) {
  std::vector<IntervalWidth> widths(rows.size());
  for (const std::string& value : values_of(rows, field)) {
    const CalibrationFile others = without(rows, result, field, value);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].*field == value) widths[i] = others.interval(rows[i].job_class, familiar);
    }
  }
  return widths;
}

// Intervals of each class, of software and of chips not seen.
void set_intervals(std::span<const FitRow> rows, Recalibration& result) {
  result.file.intervals = without(rows, result, &FitRow::family, "").intervals;
  result.family_widths = widths_without(rows, result, &FitRow::family, {.software = false});
  result.chip_widths = widths_without(rows, result, &FitRow::chip, {.chip = false});
}

// Chips of whose runs, their sources not seen, intervals of their classes hold less than three
// quarters, and how far nine of ten of those lie to either side.
void doubt_chips(std::span<const FitRow> rows, Recalibration& result) {
  constexpr double kHeld = 0.75;
  constexpr double kNineOfTen = 0.9;
  for (auto& entry : result.file.chips) {
    std::vector<double> sizes;
    double held = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].chip != entry.chip.accelerator) continue;
      const auto width = result.file.interval(rows[i].job_class, {});
      held += covers(width, result.by_source[i], rows[i].measured) ? 1 : 0;
      sizes.push_back(std::abs(std::log(result.by_source[i] / rows[i].measured)));
    }
    const bool is_doubted = held < kHeld * static_cast<double>(sizes.size());
    entry.doubt = is_doubted ? quantile_nearest_rank(sizes, kNineOfTen) : 0.0;
  }
}

void count_runs(std::span<const FitRow> rows, training::CalibrationFile& file) {
  for (auto& entry : file.chips) {
    entry.runs = static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const FitRow& row) {
      return row.chip == entry.chip.accelerator;
    }));
  }
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
  result.by_family =
      calibrate::cross_validate(result.file, rows, calibrate::folds_by_family(rows), fold_options);
  result.by_chip =
      calibrate::cross_validate(result.file, rows, calibrate::folds_by_chip(rows), fold_options);
  set_intervals(rows, result);
  doubt_chips(rows, result);
  count_runs(rows, result.file);
  result.coverage_by_source = coverage_by_source(rows, result.by_source);
  result.baseline_by_fold = baseline_without(result.runs, &PublishedRun::configuration);
  result.baseline_by_source = baseline_without(result.runs, &PublishedRun::publication);
  return result;
}

std::string write_crossval(const Recalibration& result) {
  std::string out =
      "id,source,accelerator,class,measured,in_sample,without_fold,without_source,"
      "without_family,low_without_family,high_without_family,"
      "without_chip,low_without_chip,high_without_chip,"
      "baseline_without_configuration,baseline_without_source\n";
  const auto within = [](double said, const IntervalWidth& width) {
    return fmt::format("{:.6g},{:.6g},{:.6g},", said, said * std::exp(-width.low),
                       said * std::exp(width.high));
  };
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const PublishedRun& run = *result.runs[i];
    out += fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},", run.row.id, run.publication,
                       run.chip.name, run.moe ? "moe" : "dense", run.measured, result.in_sample[i],
                       result.by_fold[i], result.by_source[i]);
    out += within(result.by_family[i], result.family_widths[i]) +
           within(result.by_chip[i], result.chip_widths[i]);
    out += fmt::format("{:.6g},{:.6g}\n", result.baseline_by_fold[i], result.baseline_by_source[i]);
  }
  return out;
}

}  // namespace loadfactor::validation
