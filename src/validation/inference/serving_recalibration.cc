#include "validation/inference/serving_recalibration.h"

#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/statistics.h"
#include "serving/anchor.h"
#include "validation/inference/serving_distance.h"

namespace loadfactor::validation {
namespace {

using serving::Constants;
using serving::IntervalWidth;

// Where nine of ten results of the next source lie: as far as so much of the others lie,
// which held 86 to 91 % of the weight of sources left out. See docs/models/serving.md.
constexpr double kShare = 0.87;
constexpr std::size_t kFewest = 60;
// Fewer sources than this do not say how far the next one may lie from them: their rows count in
// the wider class alone.
constexpr std::size_t kFewestSources = 6;
constexpr std::size_t kFewestOfLoads =
    4;  // Fewer for classes of loads, which hold all models and chips.

Constants priors(const serving::ServingCalibration& calibration) {
  Constants result;
  for (const auto& constant : calibration.constants) result.values.push_back(constant.prior);
  return result;
}

struct Residuals {
  std::vector<double> values;
  std::vector<double> weights;
  std::vector<std::string> from;
  std::map<std::string, double> sources;  // Sources with their weight of rows.
};

// As far to both sides: on which side some sources lie says little about the next.
IntervalWidth width_of(const Residuals& residuals, double share) {
  std::vector<double> sizes;
  for (const double value : residuals.values) sizes.push_back(std::abs(value));
  IntervalWidth width;
  width.high = quantile_weighted(sizes, residuals.weights, share);
  width.low = -width.high;
  return width;
}

std::string figures_text(const InferenceGroup& in, const InferenceGroup& out) {
  return fmt::format(
      "in sample {:.1f} / {:.1f} %, source not seen {:.1f} / {:.1f} %, baseline there {:.1f} / "
      "{:.1f} %, covered {:.0f} %",
      in.weighted.median, in.weighted.p90, out.weighted.median, out.weighted.p90,
      out.weighted_baseline.median, out.weighted_baseline.p90, out.coverage);
}

// Weighted median and p90 of the absolute error; then the sources where the baseline is better.
std::vector<std::string> result_lines(const ServingRecalibration& result) {
  constexpr int kFewestRows = 20;
  std::vector<std::string> lines, lost;
  int compared = 0;
  for (std::size_t i = 0; i < result.out_of_source.groups.size(); ++i) {
    const auto& out = result.out_of_source.groups[i];
    const auto& in = result.in_sample.groups[i];
    const std::string name = out.metric.empty() ? out.name : out.name + ", " + out.metric;
    const bool of_load = out.by == "load" && out.rows >= kFewestRows;
    if (out.by == "metric" || out.by == "class" || of_load)
      lines.push_back(fmt::format("{} ({} rows): {}", name, out.rows, figures_text(in, out)));
    if (out.by != "source" || out.rows < kFewestRows) continue;
    ++compared;
    if (out.weighted.median > out.weighted_baseline.median)
      lost.push_back(fmt::format("{} {:.0f} against {:.0f} %", name, out.weighted.median,
                                 out.weighted_baseline.median));
  }
  lines.push_back(fmt::format(
      "better than the baseline on {} of {} sources and metrics with {} rows or more; not on: {}",
      compared - static_cast<int>(lost.size()), compared, kFewestRows,
      lost.empty() ? "none" : fmt::format("{}", fmt::join(lost, "; "))));
  return lines;
}

// What one measured run of a deployment does for its other rows.
struct Anchored {
  Residuals before;
  Residuals after;
  std::map<std::string, Residuals> near;  // Runs close to the anchor, by the group's name.
};

serving::AnchorPoint point_of(const InferenceRun& run) {
  const bool open = run.load.kind == serving::LoadKind::kOpenLoop && run.load.rate > Hertz();
  return {open ? run.load.rate.base() : run.load.concurrency, run.load.output};
}

void add(Residuals& residuals, double value, double weight) {
  residuals.values.push_back(value);
  residuals.weights.push_back(weight);
}

// Every row of a deployment is the anchor of the others in turn; they share their own weight.
void add_group(std::span<const InferenceRun* const> runs, std::span<const double> predicted,
               const std::vector<std::size_t>& members, Anchored& place) {
  const auto residual = [&](std::size_t i) { return std::log(runs[i]->measured / predicted[i]); };
  for (const std::size_t anchor : members) {
    for (const std::size_t i : members) {
      if (i == anchor) continue;
      const auto from = point_of(*runs[anchor]), to = point_of(*runs[i]);
      const double weight = runs[i]->weight / static_cast<double>(members.size() - 1);
      const double left = residual(i) - serving::carried_share(from, to) * residual(anchor);
      add(place.before, residual(i), weight);
      add(place.after, left, weight);
      if (!serving::is_near(from, to)) continue;
      add(place.near["anchored"], left, weight);
      add(place.near[runs[i]->moe ? "anchored, moe" : "anchored, dense"], left, weight);
    }
  }
}

std::map<serving::Metric, Anchored> anchored_residuals(std::span<const InferenceRun* const> runs,
                                                       std::span<const double> predicted) {
  constexpr std::size_t kFewestRows = 4;
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i)
    groups[runs[i]->deployment + "|" + runs[i]->row.metric].push_back(i);
  std::map<serving::Metric, Anchored> result;
  for (const auto& [key, members] : groups) {
    if (members.size() >= kFewestRows)
      add_group(runs, predicted, members, result[runs[members.front()]->metric]);
  }
  return result;
}

double median_error(const Residuals& residuals) {
  std::vector<double> errors;
  for (const double r : residuals.values) errors.push_back(100 * std::abs(std::exp(-r) - 1));
  return quantile_weighted(errors, residuals.weights, 0.5);
}

// Widths and errors of predictions that know one run, by constants that have not seen its source.
void add_anchored(std::span<const InferenceRun* const> runs, std::span<const double> inside,
                  std::span<const double> outside, serving::ServingCalibration& calibration) {
  auto seen = anchored_residuals(runs, inside);
  for (const auto& [metric, anchored] : anchored_residuals(runs, outside)) {
    constexpr double kOfTheSameRuns = 0.9;
    for (const auto& [group, residuals] : anchored.near) {
      if (residuals.values.size() < kFewest) continue;
      IntervalWidth width = width_of(residuals, kOfTheSameRuns);
      width.metric = metric;
      width.group = group;
      calibration.intervals.push_back(width);
    }
    calibration.results.push_back(fmt::format(
        "one measured run takes {} from {:.1f} to {:.1f} % on the other rows of its deployment, "
        "from {:.1f} to {:.1f} % where the source is not seen",
        serving::name(metric), median_error(seen[metric].before), median_error(seen[metric].after),
        median_error(anchored.before), median_error(anchored.after)));
  }
}

// Half of the interval in logarithms, as the median row has it: of those that ship, and of those
// that were drawn without the row's source.
void add_sharpness(std::span<const InferenceRun* const> runs,
                   std::span<const InferencePrediction> outside,
                   serving::ServingCalibration& calibration) {
  std::map<serving::Metric, std::vector<double>> shipped, unseen;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto width = calibration.interval(runs[i]->metric, runs[i]->interval_groups());
    shipped[runs[i]->metric].push_back(0.5 * (width.high - width.low));
    unseen[runs[i]->metric].push_back(0.5 * std::log(outside[i].high / outside[i].low));
  }
  std::string words = "half of the interval, median, as shipped (source not seen):";
  for (auto& [metric, values] : shipped) {
    words +=
        fmt::format(" {} e^{:.2f} (e^{:.2f})", serving::name(metric),
                    quantile_nearest_rank(values, 0.5), quantile_nearest_rank(unseen[metric], 0.5));
  }
  calibration.results.push_back(words);
}

// Few sources say little about the next one: Student's t over the normal at the same level.
double few_sources(std::size_t sources) {
  constexpr std::array kFactors{1.0, 1.0, 3.84, 1.78};
  return sources < kFactors.size() ? kFactors[sources] : 1.0;
}

void widen(IntervalWidth& width, double factor) {
  const double middle = 0.5 * (width.low + width.high);
  width.low = middle + factor * (width.low - middle);
  width.high = middle + factor * (width.high - middle);
}

}  // namespace

IntervalClasses interval_classes(std::span<const InferenceRun* const> runs) {
  std::map<std::pair<serving::Metric, std::string>, std::map<std::string, std::size_t>> rows;
  for (const auto* run : runs) {
    auto names = run->interval_groups();
    names.emplace_back();
    for (const auto& group : names) ++rows[{run->metric, group}][run->source];
  }
  IntervalClasses classes;
  for (const auto& [key, sources] : rows) {
    std::size_t all = 0;
    for (const auto& [source, count] : sources) all += count;
    if (key.second.empty() ||
        (all >= kFewest &&
         sources.size() >= (serving::is_load_group(key.second) ? kFewestOfLoads : kFewestSources)))
      classes.insert(key);
  }
  return classes;
}

namespace {

using GroupedResiduals = std::map<std::pair<serving::Metric, std::string>, Residuals>;

void add_residual(const InferenceRun& run, double predicted, const std::string& group,
                  GroupedResiduals& groups) {
  auto& place = groups[{run.metric, group}];
  place.sources[run.source] += run.weight;
  place.from.push_back(run.source);
  add(place, std::log(run.measured / predicted), run.weight);
}

std::vector<IntervalWidth> widths_of(GroupedResiduals groups, const IntervalClasses& classes) {
  std::vector<IntervalWidth> widths;
  for (auto& [key, residuals] : groups) {
    if (!classes.contains(key)) continue;
    // Neither a large nor a small source decides alone.
    for (std::size_t i = 0; i < residuals.from.size(); ++i)
      residuals.weights[i] /= std::sqrt(std::max(residuals.sources[residuals.from[i]], 1e-9));
    IntervalWidth width = width_of(residuals, kShare);
    widen(width, few_sources(residuals.sources.size()));
    width.metric = key.first;
    width.group = key.second;
    widths.push_back(width);
  }
  return widths;
}

}  // namespace

std::vector<IntervalWidth> interval_widths(std::span<const InferenceRun* const> runs,
                                           std::span<const double> predicted,
                                           const IntervalClasses& classes) {
  GroupedResiduals groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto names = runs[i]->interval_groups();
    names.emplace_back();
    for (const auto& group : names) add_residual(*runs[i], predicted[i], group, groups);
  }
  return widths_of(std::move(groups), classes);
}

std::vector<IntervalWidth> simulated_widths(std::span<const InferenceRun* const> runs,
                                            std::span<const double> predicted) {
  GroupedResiduals groups;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (predicted[i] <= 0) continue;
    for (const auto& group : runs[i]->simulated_groups())
      if (serving::is_simulated_group(group)) add_residual(*runs[i], predicted[i], group, groups);
  }
  IntervalClasses classes;
  for (const auto& [key, residuals] : groups)
    if (residuals.values.size() >= kFewest && residuals.sources.size() >= kFewestOfLoads)
      classes.insert(key);
  return widths_of(std::move(groups), classes);
}

namespace {

// A calibration that knows the chips and the engines of these runs alone; how far others are, is
// `far`'s.
void forget(std::span<const InferenceRun* const> runs, const serving::ServingCalibration& far,
            serving::ServingCalibration& calibration) {
  std::set<std::string> chips;
  std::set<std::size_t> engines;
  for (const auto* run : runs) {
    chips.insert(run->chip);
    engines.insert(run->engine->index);
  }
  calibration.chips.assign(chips.begin(), chips.end());
  for (std::size_t i = 0; i < calibration.borrowed.size(); ++i)
    if (!engines.contains(i)) calibration.borrowed[i] = "another";
  calibration.intervals.insert(calibration.intervals.end(), far.intervals.begin(),
                               far.intervals.end());
}

}  // namespace

ServingRecalibration recalibrate_serving(std::span<const InferenceRun* const> runs,
                                         const serving::ServingCalibration& start,
                                         const RecalibrationOptions& options) {
  ServingRecalibration result;
  result.calibration = start;
  result.calibration.chips.clear();  // All of them are, until it is known which have results.
  const auto fit_rows = thinned(runs, options.rows_per_cell);
  const Constants full = fit_serving(fit_rows, start, priors(start), options.fit);
  for (std::size_t i = 0; i < full.values.size(); ++i)
    result.calibration.constants[i].value = full.values[i];
  std::set<std::string> sources;
  for (const auto* run : runs) {
    sources.insert(run->source);
    result.calibration.borrowed[run->engine->index].clear();  // Now it has its own.
  }
  std::vector<double> inside(runs.size()), outside(runs.size()), base_in(runs.size()),
      base_out(runs.size());
  const RooflineBaseline baseline(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    inside[i] = runs[i]->predict(full);
    base_in[i] = baseline.predict(*runs[i]);
  }
  const NearbyFits fits(fit_rows, start, full, options.fit);
  const ServingFolds folds{runs, &fits};
  std::vector<double> simulated;
  outside = predict_without(
      folds, [](const InferenceRun& run) { return run.source; }, &simulated);
  for (const auto& source : sources) {
    std::vector<const InferenceRun*> rest;
    for (const auto* run : runs)
      if (run->source != source) rest.push_back(run);
    const RooflineBaseline other(rest);
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i]->source == source) base_out[i] = other.predict(*runs[i]);
  }
  result.calibration.baseline = baseline.efficiencies();
  const IntervalClasses classes = interval_classes(runs);
  result.calibration.intervals = interval_widths(runs, outside, classes);
  for (auto& width : simulated_widths(runs, simulated))
    result.calibration.intervals.push_back(std::move(width));
  // Those of whole measured steps rest on other data.
  for (const auto& width : start.intervals) {
    if (width.group.find("step") != std::string::npos)
      result.calibration.intervals.push_back(width);
  }
  for (auto& width : doubted_chips(runs, outside, result.calibration))
    result.calibration.intervals.push_back(std::move(width));
  std::vector<InferencePrediction> in_rows, out_rows(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    in_rows.push_back(predict_row(*runs[i], inside[i], result.calibration, base_in[i]));
  serving::ServingCalibration far = result.calibration;
  far.intervals.clear();
  far.results.clear();
  add_distances(folds, result.calibration, far);
  for (const auto& source : sources) {
    std::vector<const InferenceRun*> others;
    std::vector<double> theirs;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->source == source) continue;
      others.push_back(runs[i]);
      theirs.push_back(outside[i]);
    }
    serving::ServingCalibration without = result.calibration;
    without.intervals = interval_widths(others, theirs, classes);
    for (auto& width : doubted_chips(others, theirs, without))
      without.intervals.push_back(std::move(width));
    forget(others, far, without);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->source == source)
        out_rows[i] = predict_row(*runs[i], outside[i], without, base_out[i]);
    }
  }
  result.in_sample = summarise_inference(runs, std::move(in_rows));
  result.out_of_source = summarise_inference(runs, std::move(out_rows));
  result.calibration.results = result_lines(result);
  result.calibration.chips = far.chips;
  result.calibration.results.insert(result.calibration.results.end(), far.results.begin(),
                                    far.results.end());
  result.calibration.intervals.insert(result.calibration.intervals.end(), far.intervals.begin(),
                                      far.intervals.end());
  add_sharpness(runs, result.out_of_source.predictions, result.calibration);
  add_anchored(runs, inside, outside, result.calibration);
  return result;
}

}  // namespace loadfactor::validation
