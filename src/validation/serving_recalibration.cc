#include "validation/serving_recalibration.h"

#include <cmath>
#include <map>
#include <set>

#include "base/statistics.h"

namespace loadfactor::validation {
namespace {

using serving::Constants;
using serving::IntervalWidth;

constexpr double kNominal = 0.90;
constexpr std::size_t kFewest = 60;
constexpr std::size_t kFewestSources = 2;

Constants priors(const serving::ServingCalibration& calibration) {
  Constants result;
  for (std::size_t i = 0; i < Constants::kSize; ++i) result.values[i] = calibration.constants[i].prior;
  return result;
}

struct Residuals {
  std::vector<double> values;
  std::vector<double> weights;
  std::set<std::string> sources;
};

IntervalWidth width_of(const Residuals& residuals) {
  IntervalWidth width;
  width.low = quantile_weighted(residuals.values, residuals.weights, 0.5 * (1 - kNominal));
  width.high = quantile_weighted(residuals.values, residuals.weights, 0.5 * (1 + kNominal));
  return width;
}

}  // namespace

std::vector<IntervalWidth> interval_widths(std::span<const InferenceRun* const> runs,
                                           std::span<const double> predicted) {
  std::map<std::pair<serving::Metric, std::string>, Residuals> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double residual = std::log(runs[i]->measured / predicted[i]);
    auto names = runs[i]->interval_groups();
    names.emplace_back();
    for (const auto& group : names) {
      auto& place = groups[{runs[i]->metric, group}];
      place.values.push_back(residual);
      // Rows and cells count half each: neither a large nor a small source decides alone.
      place.weights.push_back(runs[i]->weight + 0.03);
      place.sources.insert(runs[i]->source);
    }
  }
  std::vector<IntervalWidth> widths;
  for (const auto& [key, residuals] : groups) {
    const bool enough = residuals.values.size() >= kFewest && residuals.sources.size() >= kFewestSources;
    if (!key.second.empty() && !enough) continue;
    IntervalWidth width = width_of(residuals);
    width.metric = key.first;
    width.group = key.second;
    widths.push_back(width);
  }
  return widths;
}

ServingRecalibration recalibrate_serving(std::span<const InferenceRun* const> runs,
                                         const serving::ServingCalibration& start,
                                         const RecalibrationOptions& options) {
  ServingRecalibration result;
  result.calibration = start;
  const auto fit_rows = thinned(runs, options.rows_per_cell);
  const Constants full = fit_serving(fit_rows, start, priors(start), options.fit);
  for (std::size_t i = 0; i < Constants::kSize; ++i) result.calibration.constants[i].value = full.values[i];
  std::set<std::string> sources;
  for (const auto* run : runs) sources.insert(run->source);
  std::vector<double> inside(runs.size()), outside(runs.size()), base_in(runs.size()), base_out(runs.size());
  const RooflineBaseline baseline(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    inside[i] = runs[i]->predict(full);
    base_in[i] = baseline.predict(*runs[i]);
  }
  for (const auto& source : sources) {
    std::vector<WeightedRun> rest;
    std::vector<const InferenceRun*> rest_all;
    for (const auto& row : fit_rows)
      if (row.run->source != source) rest.push_back(row);
    for (const auto* run : runs)
      if (run->source != source) rest_all.push_back(run);
    if (rest.empty()) continue;
    ServingFitOptions short_fit = options.fit;
    short_fit.rounds = std::min(options.fit.rounds, 4);
    const Constants without = fit_serving(rest, start, full, short_fit);
    const RooflineBaseline other(rest_all);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->source != source) continue;
      outside[i] = runs[i]->predict(without);
      base_out[i] = other.predict(*runs[i]);
    }
  }
  result.calibration.baseline = baseline.efficiencies();
  result.calibration.intervals = interval_widths(runs, outside);
  // Those of whole measured steps rest on other data.
  for (const auto& width : start.intervals) {
    if (width.group.find("step") != std::string::npos) result.calibration.intervals.push_back(width);
  }
  std::vector<InferencePrediction> in_rows, out_rows(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    in_rows.push_back(predict_row(*runs[i], inside[i], result.calibration, base_in[i]));
  for (const auto& source : sources) {
    std::vector<const InferenceRun*> others;
    std::vector<double> theirs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->source == source) continue;
      others.push_back(runs[i]);
      theirs.push_back(outside[i]);
    }
    serving::ServingCalibration without = result.calibration;
    without.intervals = interval_widths(others, theirs);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->source == source) out_rows[i] = predict_row(*runs[i], outside[i], without, base_out[i]);
    }
  }
  result.in_sample = summarise_inference(runs, std::move(in_rows));
  result.out_of_source = summarise_inference(runs, std::move(out_rows));
  return result;
}

}  // namespace loadfactor::validation
