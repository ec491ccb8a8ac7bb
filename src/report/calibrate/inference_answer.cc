// The descriptions of validations on serving results.
#include <string>
#include <utility>

#include "report/calibrate/inference_report.h"
#include "report/calibrate/validation_fields.h"
#include "report/describe/csv.h"

namespace loadfactor::report {
namespace {

using validation::ErrorFigures;
using validation::InferenceGroup;
using validation::InferenceStepValidation;
using validation::StepGroup;

// Figures of some rows; with weights where a file gave them.
struct Scores {
  const InferenceGroup& group;
  bool is_weighted = false;
};
template <auto member>
constexpr auto kOf = [](const Scores& s) { return s.group.*member; };
template <auto member>
constexpr auto kWeighted =
    [](const Scores& s) { return s.is_weighted ? std::optional(s.group.*member) : std::nullopt; };
struct GroupScores {
  Scores scores;
};

struct Results {
  const InferenceReport& report;
};
Dictionary<std::int64_t> assumed_of(const Results& r) {
  Dictionary<std::int64_t> out;
  for (const auto& [what, count] : r.report.answer.assumed) out.values.emplace_back(what, count);
  return out;
}
Groups<GroupScores> groups_of(const Results& r) {
  Groups<GroupScores> out;
  for (const auto& g : r.report.answer.groups)
    add_group(g.by, g.metric.empty() ? g.name : g.name + ", " + g.metric,
              GroupScores{{g, r.report.weighted}}, out);
  return out;
}
// A row beside the roofline.
struct ResultPrediction {
  Prediction row;
  double baseline = 0;
};
std::vector<ResultPrediction> predictions_of(const Results& r) {
  std::vector<ResultPrediction> out;
  for (const auto& row : r.report.answer.predictions)
    out.push_back({prediction_of(row, row.metric), row.baseline});
  return out;
}

struct InferenceSteps {
  const InferenceStepValidation& answer;
  std::optional<double> seconds;
};
Dictionary<StepGroup> phases_of(const InferenceSteps& s) {
  Dictionary<StepGroup> out;
  for (const auto& group : s.answer.groups) out.values.emplace_back(group.name, group);
  return out;
}
std::vector<Prediction> step_predictions(const InferenceSteps& s) {
  std::vector<Prediction> out;
  for (const auto& row : s.answer.predictions) out.push_back(prediction_of(row, row.metric));
  return out;
}
int scored_of(const InferenceSteps& s) {
  return s.answer.rows - static_cast<int>(s.answer.skipped.size());
}

struct ResultsFile {
  std::string inference;
};
struct StepsFile {
  std::string steps;
};

}  // namespace

template <>
constexpr auto kFields<ResultsFile> =
    fields<ResultsFile>(field<&ResultsFile::inference>("inference", "Published serving results"));
template <>
constexpr auto kFields<StepsFile> = fields<StepsFile>(field<&StepsFile::steps>("steps",
                                                                               "Measured steps"));

template <>
constexpr auto kFields<Scores> = fields<Scores>(
    field<Scores>("abs_error_pct", kOf<&InferenceGroup::ours>, "100 · |predicted / measured − 1|"),
    field<Scores>("baseline_abs_error_pct", kOf<&InferenceGroup::baseline>,
                  "Absolute errors of a roofline"),
    known_field<Scores>("weighted_abs_error_pct", kWeighted<&InferenceGroup::weighted>,
                        "Absolute errors with the weights of a file"),
    known_field<Scores>("weighted_baseline_abs_error_pct",
                        kWeighted<&InferenceGroup::weighted_baseline>,
                        "Absolute errors of the roofline with these weights"),
    field<Scores>("interval_coverage_pct", kOf<&InferenceGroup::coverage>,
                  "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100));

template <>
constexpr auto kFields<GroupScores> = fields<GroupScores>(
    field<GroupScores>(
        "rows", [](const GroupScores& g) { return g.scores.group.rows; }, "Rows of the group")
        .at_least(1),
    spliced<&GroupScores::scores>(),
    field<GroupScores>(
        "bias_pct", [](const GroupScores& g) { return g.scores.group.bias; },
        "Median of predicted over measured, less one")
        .in("%"));

template <>
constexpr auto kFields<ResultPrediction> = fields<ResultPrediction>(
    spliced<&ResultPrediction::row>(),
    field<&ResultPrediction::baseline>("baseline", "What a roofline predicts, in the same unit")
        .at_least(0));

template <>
constexpr auto kFields<Results> = fields<Results>(
    field<Results>(
        "rows", [](const Results& r) { return r.report.answer.rows; }, "Rows of the file"),
    field<Results>(
        "scored", [](const Results& r) { return r.report.answer.scored; },
        "Rows that were predicted and measured"),
    field<Results>(
        "simulated", [](const Results& r) { return r.report.answer.simulated; },
        "Rows that the simulator predicted; the others are the closed form's"),
    field<Results>(
        "skipped", [](const Results& r) { return r.report.answer.skipped; },
        "Rows that were not, and why"),
    field<assumed_of>("assumed",
                      "What was taken for things that rows leave out, with the rows scored so"),
    spliced<Results>([](const Results& r) {
      return Scores{r.report.answer.all, r.report.weighted};
    }),
    field<groups_of>("groups", "The same by metric, class, source, accelerator, engine and load"),
    field<predictions_of>("predictions", "Rows one by one, in their order"),
    field<Results>(
        "shipped", [](const Results& r) { return r.report.shipped; },
        "How the constants did on the results they were fitted to, in words"),
    known_field<Results>(
        "seconds", [](const Results& r) { return r.report.seconds; },
        "CPU time; left out by --reproducible")
        .in("seconds")
        .at_least(0));

template <>
constexpr auto kFields<StepGroup> = fields<StepGroup>(
    field<&StepGroup::rows>("rows", "Rows of the phase").at_least(1),
    field<&StepGroup::abs_error>("abs_error_pct", "Absolute errors"),
    field<&StepGroup::baseline>("baseline_abs_error_pct", "Absolute errors of a roofline"),
    field<&StepGroup::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&StepGroup::bias>("bias_pct", "Median of predicted over measured, less one").in("%"));

template <>
constexpr auto kFields<InferenceSteps> = fields<InferenceSteps>(
    field<InferenceSteps>(
        "rows", [](const InferenceSteps& s) { return s.answer.rows; }, "Rows of the file"),
    field<scored_of>("scored", "Rows that were predicted and measured"),
    field<InferenceSteps>(
        "skipped", [](const InferenceSteps& s) { return s.answer.skipped; },
        "Rows that were not, and why"),
    field<InferenceSteps>(
        "abs_error_pct", [](const InferenceSteps& s) { return s.answer.abs_error; },
        "100 · |predicted / measured − 1|"),
    field<InferenceSteps>(
        "baseline_abs_error_pct", [](const InferenceSteps& s) { return s.answer.baseline; },
        "Absolute errors of a roofline"),
    field<InferenceSteps>(
        "interval_coverage_pct", [](const InferenceSteps& s) { return s.answer.interval_coverage; },
        "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<phases_of>("phases", "Steps by phase, precision and length"),
    field<step_predictions>("predictions", "Rows one by one, in their order"),
    known_field<&InferenceSteps::seconds>("seconds", "CPU time; left out by --reproducible")
        .in("seconds")
        .at_least(0));

Value inference_schema() {
  return schema_of(Type<Results>());
}
Value inference_steps_schema() {
  return schema_of(Type<InferenceSteps>());
}

std::string inference_validation_json(const InferenceReport& report) {
  return print_json(
      envelope("validate", to_value(ResultsFile{report.file}), to_value(Results{report}), {}, {}));
}

std::string inference_steps_json(const InferenceStepValidation& answer, const std::string& file,
                                 std::optional<double> seconds) {
  return print_json(envelope("validate", to_value(StepsFile{file}),
                             to_value(InferenceSteps{answer, seconds}), {}, {}));
}

std::string inference_validation_csv(const validation::InferenceValidation& answer) {
  const std::vector<std::string> nothing;
  const InferenceReport report{answer, {}, false, false, nothing, {}};
  return csv_list(inference_schema(), to_value(Results{report}), "predictions");
}

std::string inference_steps_csv(const InferenceStepValidation& answer) {
  return csv_list(inference_steps_schema(), to_value(InferenceSteps{answer, {}}), "predictions");
}

}  // namespace loadfactor::report
