// The JSON forms of a validation.
#include <string>
#include <utility>

#include "report/calibrate/validation_report.h"
#include "report/json_answer.h"

namespace loadfactor::report {

namespace {

using validation::ErrorFigures;
using validation::GroupFigures;
using validation::TrainingValidation;

Json figures(const ErrorFigures& f) {
  return {{"median", f.median}, {"mean", f.mean}, {"p90", f.p90}};
}

Json groups_json(const TrainingValidation& answer) {
  Json groups = Json::object();
  for (const GroupFigures& g : answer.groups) {
    groups[g.by][g.name] = {{"rows", g.rows},
                            {"abs_error_pct", figures(g.ours)},
                            {"baseline_abs_error_pct", figures(g.baseline)},
                            {"bias_pct", g.bias},
                            {"interval_coverage_pct", g.coverage},
                            {"interval_half_width", g.half_width}};
  }
  return groups;
}

Json skipped_json(const std::vector<validation::SkippedRow>& skipped) {
  Json list = Json::array();
  for (const auto& row : skipped) list.push_back({{"id", row.id}, {"reason", row.reason}});
  return list;
}

template <typename Row>
Json prediction_json(const Row& row, const char* metric) {
  return {{"id", row.id},
          {"metric", metric},
          {"measured", row.measured},
          {"predicted", row.predicted},
          {"low", row.low},
          {"high", row.high}};
}

// Two metrics in the order of the rows, the first metric of a row first.
template <typename Row>
Json interleaved(const std::vector<Row>& first, const char* first_metric,
                 const std::vector<Row>& second, const char* second_metric,
                 std::size_t Row::*place) {
  Json list = Json::array();
  auto next = second.begin();
  for (const Row& row : first) {
    for (; next != second.end() && (*next).*place < row.*place; ++next)
      list.push_back(prediction_json(*next, second_metric));
    list.push_back(prediction_json(row, first_metric));
  }
  // What is left belongs to the last row or comes after it.
  for (; next != second.end(); ++next) list.push_back(prediction_json(*next, second_metric));
  return list;
}

Json sample_json(const TrainingValidation& v) {
  return {{"abs_error_pct", figures(v.abs_error)},
          {"baseline_abs_error_pct", figures(v.baseline_abs_error)},
          {"interval_coverage_pct", v.interval_coverage},
          {"interval_half_width", v.interval_half_width}};
}

// The figures of each class beside those of all rows.
Json by_source_json(const OutOfSample& beside) {
  Json json = sample_json(beside.by_source);
  for (const GroupFigures& g : beside.by_source.groups) {
    if (g.by != "class") continue;
    json["classes"][g.name] = {{"rows", g.rows},
                               {"abs_error_pct", figures(g.ours)},
                               {"interval_coverage_pct", g.coverage},
                               {"interval_half_width", g.half_width}};
  }
  const auto& duel = beside.duel;
  Json lost = Json::array();
  for (const auto& source : duel.lost)
    lost.push_back({{"source", source.name},
                    {"rows", source.rows},
                    {"by_mean", source.by_mean},
                    {"by_median", source.by_median},
                    {"abs_error_pct", figures(source.ours)},
                    {"baseline_abs_error_pct", figures(source.baseline)},
                    {"reason", source.reason}});
  json["against_baseline"] = {{"sources", duel.sources},
                              {"not_worse_by_mean_pct", duel.not_worse_by_mean()},
                              {"not_worse_by_median_pct", duel.not_worse_by_median()},
                              {"lost", std::move(lost)}};
  return json;
}

Json sweeps_json(const validation::SweepSummary& summary) {
  Json json{{"median_tau", summary.median_tau},
            {"lowest_tau", summary.lowest_tau},
            {"median_regret_pct", summary.median_regret},
            {"worst_regret_pct", summary.worst_regret},
            {"sweeps", Json::array()}};
  for (const auto& sweep : summary.sweeps)
    json["sweeps"].push_back({{"name", sweep.name},
                              {"rows", sweep.rows},
                              {"pairs", sweep.pairs},
                              {"tau", sweep.tau},
                              {"regret_pct", sweep.regret}});
  return json;
}

Json weighted_json(const validation::WeightedFigures& weighted) {
  return {{"rows", weighted.rows},
          {"without_weight", weighted.without},
          {"abs_error_pct", figures(weighted.ours)},
          {"baseline_abs_error_pct", figures(weighted.baseline)},
          {"interval_coverage_pct", weighted.coverage}};
}

Json step_figures(const validation::StepFigures& f) {
  return {{"scored", f.predictions.size()},
          {"abs_error_pct", figures(f.abs_error)},
          {"worst_abs_error_pct", f.worst},
          {"interval_coverage_pct", f.interval_coverage}};
}

}  // namespace

std::string training_validation_json(const TrainingValidation& answer,
                                     const ValidationFrame& frame) {
  Json json;
  json["rows"] = answer.rows;
  json["scored"] = answer.scored;
  json["skipped"] = skipped_json(answer.skipped);
  json["abs_error_pct"] = figures(answer.abs_error);
  json["baseline_abs_error_pct"] = figures(answer.baseline_abs_error);
  json["interval_coverage_pct"] = answer.interval_coverage;
  if (frame.weighted) json["weighted"] = weighted_json(*frame.weighted);
  if (frame.out_of_sample) {
    json["out_of_fold"] = sample_json(frame.out_of_sample->by_fold);
    json["out_of_source"] = by_source_json(*frame.out_of_sample);
  }
  const auto& memory = answer.memory;
  json["memory"] = {{"scored", memory.predictions.size()},
                    {"abs_error_pct", figures(memory.abs_error)},
                    {"interval_coverage_pct", memory.interval_coverage}};
  json["layout_sweeps"] = sweeps_json(answer.sweeps);
  json["groups"] = groups_json(answer);
  json["predictions"] = interleaved(answer.predictions, "tokens_per_s_per_gpu", memory.predictions,
                                    "memory_gb_per_gpu", &validation::RowPrediction::run);
  if (frame.seconds) json["seconds"] = *frame.seconds;
  return envelope("validate", Json{{"training", frame.file}}, std::move(json), frame.notices, {});
}

std::string step_validation_json(const validation::StepValidation& answer,
                                 const ValidationFrame& frame) {
  Json json;
  json["accelerator"] = answer.accelerator;
  json["stacks"] = answer.stacks;
  json["rows"] = answer.rows;
  json["scored"] = answer.time.predictions.size();
  json["skipped"] = skipped_json(answer.skipped);
  json["abs_error_pct"] = figures(answer.time.abs_error);
  json["worst_abs_error_pct"] = answer.time.worst;
  json["interval_coverage_pct"] = answer.time.interval_coverage;
  json["memory"] = step_figures(answer.memory);
  json["predictions"] =
      interleaved(answer.time.predictions, "train_step", answer.memory.predictions,
                  "train_step_memory", &validation::StepPrediction::row);
  if (frame.seconds) json["seconds"] = *frame.seconds;
  return envelope("validate", Json{{"steps", frame.file}}, std::move(json), frame.notices, {});
}

}  // namespace loadfactor::report
