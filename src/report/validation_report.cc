#include "report/validation_report.h"

#include <fmt/format.h>

#include "report/json_answer.h"

namespace loadfactor::report {

namespace {

using validation::ErrorFigures;
using validation::GroupFigures;
using validation::TrainingValidation;

std::string three(const ErrorFigures& f) {
  return fmt::format("{:5.1f} {:5.1f} {:5.1f}", f.median, f.mean, f.p90);
}

Json figures(const ErrorFigures& f) {
  Json json;
  json["median"] = f.median;
  json["mean"] = f.mean;
  json["p90"] = f.p90;
  return json;
}

std::string summary_line(const std::string& what, const TrainingValidation& v) {
  return fmt::format("{:<25}{:>6}  {}   {}   {:5.1f}\n", what, v.scored, three(v.abs_error),
                     three(v.baseline_abs_error), v.interval_coverage);
}

std::string group_line(const GroupFigures& g) {
  std::string shown = g.name;
  if (shown.size() > 25) shown = "…" + shown.substr(shown.size() - 23);
  return fmt::format("{:<25}{:>6}  {}   {}   {:5.1f}\n", shown, g.rows, three(g.ours),
                     three(g.baseline), g.coverage);
}

Json groups_json(const TrainingValidation& answer) {
  Json groups = Json::object();
  for (const GroupFigures& g : answer.groups) {
    Json one;
    one["rows"] = g.rows;
    one["abs_error_pct"] = figures(g.ours);
    one["baseline_abs_error_pct"] = figures(g.baseline);
    one["bias_pct"] = g.bias;
    one["interval_coverage_pct"] = g.coverage;
    groups[g.by][g.name] = std::move(one);
  }
  return groups;
}

Json skipped_json(const std::vector<validation::SkippedRow>& skipped) {
  Json list = Json::array();
  for (const auto& row : skipped) {
    Json one;
    one["id"] = row.id;
    one["reason"] = row.reason;
    list.push_back(std::move(one));
  }
  return list;
}

template <typename Row>
Json prediction_json(const Row& row, const char* metric) {
  Json one;
  one["id"] = row.id;
  one["metric"] = metric;
  one["measured"] = row.measured;
  one["predicted"] = row.predicted;
  one["low"] = row.low;
  one["high"] = row.high;
  return one;
}

Json sample_json(const TrainingValidation& v) {
  Json json;
  json["abs_error_pct"] = figures(v.abs_error);
  json["baseline_abs_error_pct"] = figures(v.baseline_abs_error);
  json["interval_coverage_pct"] = v.interval_coverage;
  return json;
}

}  // namespace

std::string training_validation_text(const TrainingValidation& answer,
                                     const std::optional<OutOfSample>& out_of_sample) {
  std::string out = fmt::format(
      "Training: {} of {} published runs scored on tokens per second and GPU.\n\n"
      "{:<25}{:>6}  {:<17}   {:<17}   covered\n{:<25}{:>6}  {:<17}   {:<17}   %\n",
      answer.scored, answer.rows, "absolute error, %", "rows", "ours", "lookup baseline", "", "",
      "  med  mean   p90", "  med  mean   p90");
  out += summary_line("these rows", answer);
  if (out_of_sample) {
    out += summary_line("configuration not seen", out_of_sample->by_fold);
    out += summary_line("source not seen", out_of_sample->by_source);
  }
  std::string by;
  for (const GroupFigures& g : answer.groups) {
    if (g.by != by) out += fmt::format("\nby {}\n", g.by);
    by = g.by;
    out += group_line(g);
  }
  if (!answer.skipped.empty()) out += fmt::format("\n{} rows skipped\n", answer.skipped.size());
  return out;
}

std::string training_validation_csv(const TrainingValidation& answer) {
  std::string out = "id,metric,measured,predicted,low,high,baseline,converted\n";
  for (const auto& row : answer.predictions) {
    out += fmt::format("{},tokens_per_s_per_gpu,{},{},{},{},{},{}\n", row.id, row.measured,
                       row.predicted, row.low, row.high, row.baseline, row.converted ? 1 : 0);
  }
  return out;
}

std::string training_validation_json(const TrainingValidation& answer, const std::string& file,
                                     const std::optional<OutOfSample>& out_of_sample,
                                     std::optional<double> seconds) {
  Json json;
  json["rows"] = answer.rows;
  json["scored"] = answer.scored;
  json["skipped"] = skipped_json(answer.skipped);
  json["abs_error_pct"] = figures(answer.abs_error);
  json["baseline_abs_error_pct"] = figures(answer.baseline_abs_error);
  json["interval_coverage_pct"] = answer.interval_coverage;
  if (out_of_sample) {
    json["out_of_fold"] = sample_json(out_of_sample->by_fold);
    json["out_of_source"] = sample_json(out_of_sample->by_source);
  }
  json["groups"] = groups_json(answer);
  json["predictions"] = Json::array();
  for (const auto& row : answer.predictions) {
    json["predictions"].push_back(prediction_json(row, "tokens_per_s_per_gpu"));
  }
  if (seconds) json["seconds"] = *seconds;
  Json question;
  question["training"] = file;
  return envelope("validate", std::move(question), std::move(json), {}, {});
}

std::string step_validation_text(const validation::StepValidation& answer) {
  std::string out = fmt::format(
      "Whole training steps: {} rows, absolute error median {:.1f} %, mean {:.1f} %, worst "
      "{:.1f} %.\n\n{:<10}{:>12}{:>12}{:>9}\n",
      answer.rows, answer.abs_error.median, answer.abs_error.mean, answer.worst, "row",
      "measured s", "predicted s", "off %");
  for (const auto& row : answer.predictions) {
    out += fmt::format("{:<10}{:>12.4f}{:>12.4f}{:>+9.1f}\n", row.id, row.measured, row.predicted,
                       100.0 * (row.predicted / row.measured - 1.0));
  }
  return out;
}

std::string step_validation_json(const validation::StepValidation& answer, const std::string& file,
                                 std::optional<double> seconds) {
  Json json;
  json["rows"] = answer.rows;
  json["scored"] = answer.predictions.size();
  json["skipped"] = skipped_json(answer.skipped);
  json["abs_error_pct"] = figures(answer.abs_error);
  json["interval_coverage_pct"] = answer.interval_coverage;
  json["predictions"] = Json::array();
  for (const auto& row : answer.predictions) {
    json["predictions"].push_back(prediction_json(row, "train_step"));
  }
  if (seconds) json["seconds"] = *seconds;
  Json question;
  question["steps"] = file;
  return envelope("validate", std::move(question), std::move(json), {}, {});
}

}  // namespace loadfactor::report
