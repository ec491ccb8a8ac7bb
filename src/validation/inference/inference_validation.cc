#include "validation/inference/inference_validation.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/statistics.h"
#include "validation/inference/row_assumptions.h"

namespace loadfactor::validation {
namespace {

using serving::Constants;
using serving::LoadKind;

std::vector<std::string> baseline_keys(const InferenceRun& run) {
  const std::string metric = run.row.metric;
  const std::string kind(serving::name(run.load.kind));
  return {metric + "|" + kind, std::string(serving::name(run.metric)), ""};
}

// The constants of a machine that does nothing but its arithmetic and its traffic.
Constants ideal_constants(std::size_t generations) {
  Constants ideal(generations, 1.0);
  for (const auto constant : {serving::Constant::kKernelFixed, serving::Constant::kExpertLaunch,
                              serving::Constant::kLatentLaunch, serving::Constant::kCommLatency,
                              serving::Constant::kCommRate, serving::Constant::kCommPcie,
                              serving::Constant::kCommHost, serving::Constant::kExchange,
                              serving::Constant::kTransfer, serving::Constant::kExpertApart})
    ideal.values[Constants::place(constant)] = 1e-9;
  for (std::size_t generation = 0; generation < generations; ++generation) {
    for (std::size_t c = 1; c < serving::kNumEngineConstants; ++c) {
      const auto constant = static_cast<serving::EngineConstant>(c);
      ideal.values[Constants::place(generation, constant)] =
          constant == serving::EngineConstant::kStream ||
                  constant == serving::EngineConstant::kPrompt
              ? 1.0
              : 1e-12;
    }
  }
  ideal.values[Constants::place(serving::Constant::kOpening)] = 0.1;
  ideal.values[Constants::place(serving::Constant::kTail)] = 2.5;
  return ideal;
}

ErrorFigures weighted_figures(const std::vector<double>& errors,
                              const std::vector<double>& weights) {
  ErrorFigures figures;
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    sum += errors[i] * weights[i];
    total += weights[i];
  }
  if (!(total > 0)) return error_figures(errors);
  figures.median = quantile_weighted(errors, weights, 0.5);
  figures.mean = sum / total;
  figures.p90 = quantile_weighted(errors, weights, 0.9);
  return figures;
}

InferenceGroup figures_of(std::span<const InferenceRun* const> runs,
                          std::span<const InferencePrediction> predictions,
                          const std::vector<std::size_t>& members) {
  InferenceGroup group;
  group.rows = static_cast<int>(members.size());
  std::vector<double> ours, base, ratios, weights;
  double covered = 0;
  for (const std::size_t i : members) {
    const auto& p = predictions[i];
    ours.push_back(100 * std::abs(p.predicted / p.measured - 1));
    base.push_back(100 * std::abs(p.baseline / p.measured - 1));
    ratios.push_back(p.predicted / p.measured);
    weights.push_back(runs[i]->weight);
    covered += p.measured >= p.low && p.measured <= p.high ? 1 : 0;
  }
  if (members.empty()) return group;
  group.ours = error_figures(ours);
  group.baseline = error_figures(base);
  group.weighted = weighted_figures(ours, weights);
  group.weighted_baseline = weighted_figures(base, weights);
  group.bias = 100 * (quantile_nearest_rank(ratios, 0.5) - 1);
  group.coverage = 100 * covered / static_cast<double>(members.size());
  return group;
}

}  // namespace

InferenceTable make_inference_runs(std::span<const InferenceRow> rows, RunMaker& maker,
                                   const RowWatch& watch) {
  InferenceTable table;
  std::map<std::string, unsigned> line_of;
  const bool weighted = have_weights(rows);
  for (const auto& row : rows) {
    if (!goes_on(watch, table.runs.size() + table.skipped.size(), rows.size())) break;
    const auto skip = [&](std::string reason) {
      table.skipped.push_back({.id = row.id, .reason = std::move(reason), .line = row.line});
    };
    if (const auto [before, is_new] = line_of.emplace(row.id, row.line); !is_new) {
      skip(fmt::format("its id is that of line {}", before->second));
      continue;
    }
    auto run = maker.make(row);
    if (!run) {
      skip(run.error().message);
      continue;
    }
    table.runs.push_back(*std::move(run));
    if (weighted) table.runs.back()->weight = row.weight.value_or(0);
    const InferenceRow& read = table.runs.back()->row;
    for (const auto& what : assumptions_of(read, maker.catalog())) ++table.assumed[what];
  }
  return table;
}

bool have_weights(std::span<const InferenceRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.weight > 0; });
}

std::map<std::string, double> read_weights(const config::CsvTable& table) {
  std::map<std::string, double> weights;
  const auto id = table.column("id");
  const auto weight = table.column("weight");
  if (!id || !weight) return weights;
  for (const auto& cells : table.rows)
    weights[cells[*id].text] = std::strtod(cells[*weight].text.c_str(), nullptr);
  return weights;
}

void spread_weights(std::span<const std::unique_ptr<InferenceRun>> runs) {
  const auto key = [](const InferenceRun& run) {
    return run.source + "|" + run.row.model + "|" + run.chip + "|" + run.row.metric;
  };
  std::map<std::string, int> counts;
  for (const auto& run : runs) ++counts[key(*run)];
  for (const auto& run : runs) run->weight = 1.0 / counts[key(*run)];
}

double roofline_prediction(const InferenceRun& run) {
  InferenceRun ideal = run;
  ideal.pool.roofline = true;
  if (ideal.prefill) ideal.prefill->roofline = true;
  return ideal.predict(ideal_constants(run.engine->index + 1));
}

RooflineBaseline::RooflineBaseline(std::span<const InferenceRun* const> known) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto* run : known) {
    const double ideal = roofline_prediction(*run);
    if (!(ideal > 0)) continue;
    for (const auto& key : baseline_keys(*run)) ratios[key].push_back(run->measured / ideal);
  }
  for (auto& [key, values] : ratios) efficiency_[key] = quantile_nearest_rank(values, 0.5);
}

double RooflineBaseline::predict(const InferenceRun& run) const {
  const double ideal = roofline_prediction(run);
  for (const auto& key : baseline_keys(run)) {
    const auto found = efficiency_.find(key);
    if (found != efficiency_.end()) return ideal * found->second;
  }
  return ideal;
}

InferencePrediction predict_row(const InferenceRun& run, double predicted,
                                const serving::ServingCalibration& calibration, double baseline,
                                Predictor by) {
  const auto& deployment = run.pool.step->deployment();
  const auto width = by == Predictor::kSimulator
                         ? calibration.simulated_interval(run.metric, deployment, run.load.kind)
                         : calibration.interval_of(run.metric, deployment, run.load.kind);
  return {run.row.id,
          run.row.metric,
          run.measured,
          predicted,
          predicted * std::exp(width.low),
          predicted * std::exp(width.high),
          baseline};
}

InferenceValidation summarise_inference(std::span<const InferenceRun* const> runs,
                                        std::vector<InferencePrediction> predictions) {
  InferenceValidation result;
  result.scored = static_cast<int>(runs.size());
  std::map<std::array<std::string, 3>, std::vector<std::size_t>> groups;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& run = *runs[i];
    const std::string metric(serving::name(run.metric));
    all.push_back(i);
    groups[{"metric", metric, ""}].push_back(i);
    groups[{"class", run.moe ? "mixture of experts" : "dense", metric}].push_back(i);
    groups[{"source", run.source, metric}].push_back(i);
    groups[{"accelerator", run.chip, metric}].push_back(i);
    groups[{"engine", run.engine->name, metric}].push_back(i);
    groups[{"load", std::string(serving::name(run.load.kind)), metric}].push_back(i);
  }
  result.all = figures_of(runs, predictions, all);
  for (const auto& [key, members] : groups) {
    auto group = figures_of(runs, predictions, members);
    group.by = key[0];
    group.name = key[1];
    group.metric = key[2];
    result.groups.push_back(std::move(group));
  }
  result.predictions = std::move(predictions);
  return result;
}

}  // namespace loadfactor::validation
