#include "validation/inference/serving_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/statistics.h"
#include "serving/doubt_of_chip.h"
#include "validation/inference/simulated_load.h"

namespace loadfactor::validation {
namespace {

using serving::Metric;

// As for sources: as far as so much of the others lie.
constexpr double kShare = 0.87;

struct Kind {
  std::string_view group;
  RunKey key;
};
std::string chip_of(const InferenceRun& run) {
  return run.chip;
}
std::string engine_of(const InferenceRun& run) {
  return run.engine->engine;
}
constexpr std::array kKinds{Kind{serving::kChipNotSeen, chip_of},
                            Kind{serving::kEngineNotSeen, engine_of}};

// Sizes of residuals of one metric, and whose they are.
struct Sizes {
  std::vector<double> values;
  std::vector<double> weights;
  std::vector<std::string> keys;
  std::map<std::string, double> of_key;  // Weight of all of its rows.

  void add(double value, double weight, const std::string& key) {
    values.push_back(value);
    weights.push_back(weight);
    keys.push_back(key);
    of_key[key] += weight;
  }
  // Without one key; neither a large nor a small one decides alone.
  double reach(const std::string& without) const {
    std::vector<double> sizes;
    std::vector<double> counts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (keys[i] == without) continue;
      sizes.push_back(values[i]);
      counts.push_back(weights[i] / std::sqrt(std::max(of_key.at(keys[i]), 1e-9)));
    }
    return sizes.empty() ? 0.0 : quantile_weighted(sizes, counts, kShare);
  }
};

// Figures of one metric with a key left out.
struct Figures {
  std::vector<double> errors;
  std::vector<double> weights;
  double covered = 0;
  double all = 0;

  void add(const InferenceRun& run, double predicted, double half) {
    errors.push_back(100 * std::abs(predicted / run.measured - 1));
    weights.push_back(run.weight);
    all += run.weight;
    if (std::abs(std::log(run.measured / predicted)) <= half) covered += run.weight;
  }
};

void add_kind(const ServingFolds& folds, const Kind& kind, const serving::ServingCalibration& known,
              serving::ServingCalibration& to) {
  const std::vector<double> predicted = predict_without(folds, kind.key);
  std::map<Metric, Sizes> sizes;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const InferenceRun& run = *folds.runs[i];
    sizes[run.metric].add(std::abs(std::log(run.measured / predicted[i])), run.weight,
                          kind.key(run));
  }
  std::map<Metric, Figures> figures;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const InferenceRun& run = *folds.runs[i];
    const double far = sizes[run.metric].reach(kind.key(run));
    const auto near = known.interval(run.metric, {});
    const auto of_class = known.interval(run.metric, run.interval_groups());
    const double half = serving::widened(of_class, near, {run.metric, "", -far, far}).high;
    figures[run.metric].add(run, predicted[i], half);
  }
  for (const auto& [metric, of] : figures) {
    const double far = sizes[metric].reach("");
    to.intervals.push_back({metric, std::string(kind.group), -far, far});
    to.results.push_back(fmt::format(
        "{}, {} ({} rows): {:.1f} / {:.1f} %, covered {:.0f} %", kind.group, serving::name(metric),
        of.errors.size(), quantile_weighted(of.errors, of.weights, 0.5),
        quantile_weighted(of.errors, of.weights, 0.9), of.all > 0 ? 100 * of.covered / of.all : 0));
  }
}

}  // namespace

std::vector<double> predict_without(const ServingFolds& folds, RunKey key,
                                    std::vector<double>* simulated) {
  if (simulated != nullptr) simulated->assign(folds.runs.size(), 0.0);
  std::set<std::string> keys;
  for (const auto* run : folds.runs) keys.insert(key(*run));
  std::vector<double> predicted(folds.runs.size());
  for (const auto& left_out : keys) {
    const serving::Constants without =
        folds.fits->without([&](const InferenceRun& run) { return key(run) == left_out; });
    RowPredictor predictor(without);
    for (std::size_t i = 0; i < folds.runs.size(); ++i) {
      const InferenceRun& run = *folds.runs[i];
      if (key(run) != left_out) continue;
      predicted[i] = run.predict(without);
      if (simulated == nullptr || !is_simulated(run, without)) continue;
      const int before = predictor.simulated();
      const double figure = predictor.predict(run);
      if (predictor.simulated() > before) (*simulated)[i] = figure;
    }
  }
  return predicted;
}

std::vector<serving::IntervalWidth> doubted_chips(std::span<const InferenceRun* const> runs,
                                                  std::span<const double> predicted,
                                                  const serving::ServingCalibration& calibration) {
  constexpr double kCovered = 0.75;
  std::map<std::pair<Metric, std::string>, Sizes> sizes;
  std::map<std::pair<Metric, std::string>, double> inside, all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const InferenceRun& run = *runs[i];
    const std::pair key{run.metric, run.chip};
    const double size = std::abs(std::log(run.measured / predicted[i]));
    sizes[key].add(size, run.weight, run.source);
    all[key] += run.weight;
    if (size <= calibration.interval(run.metric, run.interval_groups(), run.engine).high)
      inside[key] += run.weight;
  }
  std::vector<serving::IntervalWidth> widths;
  for (const auto& [key, of] : sizes) {
    if (inside[key] >= kCovered * all[key]) continue;
    const double far = of.reach("");
    widths.push_back({key.first, serving::chip_group(key.second), -far, far});
  }
  return widths;
}

void add_distances(const ServingFolds& folds, const serving::ServingCalibration& near,
                   serving::ServingCalibration& to) {
  std::set<std::string> chips;
  for (const auto* run : folds.runs) chips.insert(run->chip);
  to.chips.assign(chips.begin(), chips.end());
  for (const Kind& kind : kKinds) add_kind(folds, kind, near, to);
}

}  // namespace loadfactor::validation
