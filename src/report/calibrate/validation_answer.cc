// The descriptions of validations on training runs and measured steps.
#include <string>
#include <utility>

#include "report/calibrate/validation_fields.h"
#include "report/calibrate/validation_report.h"
#include "report/describe/csv.h"

namespace loadfactor::report {
namespace {

using validation::ErrorFigures;
using validation::GroupFigures;
using validation::LostSource;
using validation::StepValidation;
using validation::SweepFigures;
using validation::SweepSummary;
using validation::TrainingValidation;
using validation::WeightedFigures;

// Two metrics in the order of the rows, the first metric of a row first.
template <typename Row, typename Make>
auto interleaved(const std::vector<Row>& first, const char* first_metric,
                 const std::vector<Row>& second, const char* second_metric, std::size_t Row::*place,
                 Make make) {
  std::vector<decltype(make(first.front(), first_metric))> list;
  auto next = second.begin();
  for (const Row& row : first) {
    for (; next != second.end() && (*next).*place < row.*place; ++next)
      list.push_back(make(*next, second_metric));
    list.push_back(make(row, first_metric));
  }
  // What is left belongs to the last row or comes after it.
  for (; next != second.end(); ++next) list.push_back(make(*next, second_metric));
  return list;
}

// ---- Published runs.

struct Sample {
  ErrorFigures ours, baseline;
  double coverage = 0, half_width = 0;
};
Sample sample_of(const TrainingValidation& v) {
  return {v.abs_error, v.baseline_abs_error, v.interval_coverage, v.interval_half_width};
}
struct ClassFigures {
  int rows = 0;
  ErrorFigures ours;
  double coverage = 0, half_width = 0;
};
struct Duel {
  const validation::BaselineDuel& duel;
};
struct BySource {
  const OutOfSample& beside;
};
std::optional<Dictionary<ClassFigures>> classes_of(const BySource& by) {
  Dictionary<ClassFigures> out;
  for (const GroupFigures& g : by.beside.by_source.groups)
    if (g.by == "class")
      out.values.emplace_back(g.name, ClassFigures{g.rows, g.ours, g.coverage, g.half_width});
  return out.values.empty() ? std::nullopt : std::optional(std::move(out));
}

struct Memory {
  std::int64_t scored = 0;
  ErrorFigures abs_error;
  std::optional<double> worst;
  double coverage = 0;
};

struct TrainingRuns {
  const TrainingValidation& answer;
  const ValidationFrame& frame;
};
template <auto member>
constexpr auto kOf = [](const TrainingRuns& v) { return std::invoke(member, v.answer); };
std::optional<Sample> out_of_fold(const TrainingRuns& v) {
  const auto& beside = v.frame.out_of_sample;
  return beside ? std::optional(sample_of(beside->by_fold)) : std::nullopt;
}
std::optional<BySource> out_of_source(const TrainingRuns& v) {
  const auto& beside = v.frame.out_of_sample;
  return beside ? std::optional(BySource{*beside}) : std::nullopt;
}
struct ByFamily {
  const TrainingValidation& of;
};
struct ByChip {
  const TrainingValidation& of;
};
Dictionary<ClassFigures> groups_by(const TrainingValidation& of, std::string_view by) {
  Dictionary<ClassFigures> out;
  for (const GroupFigures& g : of.groups)
    if (g.by == by)
      out.values.emplace_back(g.name, ClassFigures{g.rows, g.ours, g.coverage, g.half_width});
  return out;
}
Dictionary<ClassFigures> families_of(const ByFamily& by) {
  return groups_by(by.of, "family");
}
Dictionary<ClassFigures> classes_of_families(const ByFamily& by) {
  return groups_by(by.of, "class");
}
Dictionary<ClassFigures> chips_of(const ByChip& by) {
  return groups_by(by.of, "accelerator");
}
std::optional<ByChip> out_of_chip(const TrainingRuns& v) {
  const auto& beside = v.frame.out_of_sample;
  return beside ? std::optional(ByChip{beside->by_chip}) : std::nullopt;
}
std::optional<ByFamily> out_of_family(const TrainingRuns& v) {
  const auto& beside = v.frame.out_of_sample;
  return beside ? std::optional(ByFamily{beside->by_family}) : std::nullopt;
}
std::optional<WeightedFigures> weighted_of(const TrainingRuns& v) {
  return v.frame.weighted;
}
std::optional<double> seconds_of(const TrainingRuns& v) {
  return v.frame.seconds;
}
Memory memory_of(const TrainingRuns& v) {
  const auto& m = v.answer.memory;
  return {static_cast<std::int64_t>(m.predictions.size()), m.abs_error, {}, m.interval_coverage};
}
Groups<GroupFigures> groups_of(const TrainingRuns& v) {
  Groups<GroupFigures> out;
  for (const GroupFigures& g : v.answer.groups) add_group(g.by, g.name, g, out);
  return out;
}
// A row beside the lookup.
struct RunPrediction {
  Prediction row;
  std::optional<double> baseline;
  bool converted = false;
};
std::vector<RunPrediction> run_predictions(const TrainingRuns& v) {
  const auto make = [](const validation::RowPrediction& row, const char* metric) {
    return RunPrediction{prediction_of(row, metric),
                         row.baseline > 0 ? std::optional(row.baseline) : std::nullopt,
                         row.converted};
  };
  return interleaved(v.answer.predictions, "tokens_per_s_per_gpu", v.answer.memory.predictions,
                     "memory_gb_per_gpu", &validation::RowPrediction::run, make);
}

// ---- Measured steps.

struct Steps {
  const StepValidation& answer;
  const ValidationFrame& frame;
};
Memory step_memory(const Steps& v) {
  const auto& m = v.answer.memory;
  return {static_cast<std::int64_t>(m.predictions.size()), m.abs_error, m.worst,
          m.interval_coverage};
}
std::vector<Prediction> step_predictions(const Steps& v) {
  return interleaved(v.answer.time.predictions, "train_step", v.answer.memory.predictions,
                     "train_step_memory", &validation::StepPrediction::row,
                     prediction_of<validation::StepPrediction>);
}
std::optional<double> step_seconds(const Steps& v) {
  return v.frame.seconds;
}

struct TrainingFile {
  std::string training;
};
struct StepsFile {
  std::string steps;
};

}  // namespace

template <>
constexpr auto kFields<TrainingFile> =
    fields<TrainingFile>(field<&TrainingFile::training>("training", "Published runs"));
template <>
constexpr auto kFields<StepsFile> = fields<StepsFile>(field<&StepsFile::steps>("steps",
                                                                               "Measured steps"));

template <>
constexpr auto kFields<Sample> = fields<Sample>(
    field<&Sample::ours>("abs_error_pct", "Absolute errors"),
    field<&Sample::baseline>("baseline_abs_error_pct", "Absolute errors of the lookup"),
    field<&Sample::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&Sample::half_width>("interval_half_width",
                               "Median of half the natural logarithm of high over low")
        .at_least(0));

template <>
constexpr auto kFields<ClassFigures> = fields<ClassFigures>(
    field<&ClassFigures::rows>("rows", "Rows of the class").at_least(1),
    field<&ClassFigures::ours>("abs_error_pct", "Absolute errors"),
    field<&ClassFigures::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&ClassFigures::half_width>("interval_half_width",
                                     "Median of half the natural logarithm of high over low")
        .at_least(0));

template <>
constexpr auto kFields<LostSource> = fields<LostSource>(
    field<&LostSource::name>("source", "Who published the rows").at_least(1),
    field<&LostSource::rows>("rows", "Rows of the source").at_least(1),
    field<&LostSource::by_mean>("by_mean", "Whether the lookup is better by the mean"),
    field<&LostSource::by_median>("by_median", "Whether the lookup is better by the median"),
    field<&LostSource::ours>("abs_error_pct", "Absolute errors"),
    field<&LostSource::baseline>("baseline_abs_error_pct", "Absolute errors of the lookup"),
    field<&LostSource::reason>("reason", "What most of the rows are and where their time goes")
        .at_least(1));

template <>
constexpr auto kFields<Duel> = fields<Duel>(
    field<Duel>(
        "sources", [](const Duel& d) { return d.duel.sources; },
        "Sources with enough rows to judge by"),
    field<Duel>(
        "not_worse_by_mean_pct", [](const Duel& d) { return d.duel.not_worse_by_mean(); },
        "Sources that the lookup does not know better, by the mean")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<Duel>(
        "not_worse_by_median_pct", [](const Duel& d) { return d.duel.not_worse_by_median(); },
        "The same by the median")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<Duel>(
        "lost", [](const Duel& d) { return d.duel.lost; }, "Sources that it does know better"));

template <>
constexpr auto kFields<BySource> = fields<BySource>(
    spliced<BySource>([](const BySource& by) { return sample_of(by.beside.by_source); }),
    known_field<classes_of>("classes", "Dense models and mixtures of experts apart"),
    field<BySource>(
        "against_baseline", [](const BySource& by) { return Duel{by.beside.duel}; },
        "The model beside the lookup, neither having seen the source"));

template <>
constexpr auto kFields<ByFamily> =
    fields<ByFamily>(spliced<ByFamily>([](const ByFamily& by) { return sample_of(by.of); }),
                     field<ByFamily>(
                         "each_as_one_pct", [](const ByFamily& by) { return by.of.families.ours; },
                         "Absolute errors where every family counts as one"),
                     field<classes_of_families>("classes", "Dense models and mixtures apart"),
                     field<families_of>("families", "Each family alone"));

template <>
constexpr auto kFields<ByChip> =
    fields<ByChip>(spliced<ByChip>([](const ByChip& by) { return sample_of(by.of); }),
                   field<ByChip>(
                       "each_as_one_pct", [](const ByChip& by) { return by.of.chips.ours; },
                       "Absolute errors where every accelerator counts as one"),
                   field<chips_of>("accelerators", "Each accelerator alone"));

template <>
constexpr auto kFields<Memory> = fields<Memory>(
    field<&Memory::scored>("scored", "Rows that state it"),
    field<&Memory::abs_error>("abs_error_pct", "Absolute errors"),
    known_field<&Memory::worst>("worst_abs_error_pct", "The largest").in("%").at_least(0),
    field<&Memory::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100));

template <>
constexpr auto kFields<WeightedFigures> = fields<WeightedFigures>(
    field<&WeightedFigures::rows>("rows", "Rows with a weight"),
    field<&WeightedFigures::without>("without_weight", "Rows without one"),
    field<&WeightedFigures::ours>("abs_error_pct", "Absolute errors"),
    field<&WeightedFigures::baseline>("baseline_abs_error_pct", "Absolute errors of the lookup"),
    field<&WeightedFigures::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100));

template <>
constexpr auto kFields<SweepFigures> = fields<SweepFigures>(
    field<&SweepFigures::name>("name", "Model, machine and source"),
    field<&SweepFigures::rows>("rows", "Layouts").at_least(1),
    field<&SweepFigures::pairs>("pairs", "Pairs that differ by more than the noise").at_least(1),
    field<&SweepFigures::tau>("tau", "Kendall's tau").at_least(-1).at_most(1),
    field<&SweepFigures::regret>("regret_pct", "How far the pick is below the best")
        .in("%")
        .at_least(0));

template <>
constexpr auto kFields<SweepSummary> = fields<SweepSummary>(
    field<&SweepSummary::median_tau>("median_tau", "Median of Kendall's tau")
        .at_least(-1)
        .at_most(1),
    field<&SweepSummary::lowest_tau>("lowest_tau", "Tau of the worst sweep")
        .at_least(-1)
        .at_most(1),
    field<&SweepSummary::median_regret>("median_regret_pct", "How far picks are below the best")
        .in("%")
        .at_least(0),
    field<&SweepSummary::worst_regret>("worst_regret_pct", "The same of the worst sweep")
        .in("%")
        .at_least(0),
    field<&SweepSummary::sweeps>("sweeps", "Sweeps one by one"));

template <>
constexpr auto kFields<GroupFigures> = fields<GroupFigures>(
    field<&GroupFigures::rows>("rows", "Rows of the group").at_least(1),
    field<&GroupFigures::ours>("abs_error_pct", "Absolute errors"),
    field<&GroupFigures::baseline>("baseline_abs_error_pct", "Absolute errors of the lookup"),
    field<&GroupFigures::bias>("bias_pct", "Mean of predicted over measured, less one").in("%"),
    field<&GroupFigures::coverage>("interval_coverage_pct", "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<&GroupFigures::half_width>("interval_half_width",
                                     "Median of half the natural logarithm of high over low")
        .at_least(0));

template <>
constexpr auto kFields<RunPrediction> = fields<RunPrediction>(
    spliced<&RunPrediction::row>(),
    field<&RunPrediction::baseline>("baseline",
                                    "What the lookup predicts, in the same unit; null where it "
                                    "knows nothing")
        .at_least(0),
    field<&RunPrediction::converted>("converted",
                                     "Whether the measurement was computed from another figure"));

using V = TrainingValidation;

template <>
constexpr auto kFields<TrainingRuns> = fields<TrainingRuns>(
    field<TrainingRuns>("rows", kOf<&V::rows>, "Rows of the file"),
    field<TrainingRuns>("scored", kOf<&V::scored>, "Rows that were predicted and measured"),
    field<TrainingRuns>("skipped", kOf<&V::skipped>, "Rows that were not, and why"),
    field<TrainingRuns>("abs_error_pct", kOf<&V::abs_error>, "100 · |predicted / measured − 1|"),
    field<TrainingRuns>("baseline_abs_error_pct", kOf<&V::baseline_abs_error>,
                        "Absolute errors of the lookup"),
    field<TrainingRuns>("interval_coverage_pct", kOf<&V::interval_coverage>,
                        "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    known_field<weighted_of>("weighted", "The same with the weights of a file"),
    known_field<out_of_fold>("out_of_fold", "Fitted without the row's configuration"),
    known_field<out_of_source>("out_of_source", "Fitted without the row's source"),
    known_field<out_of_family>("out_of_family", "Fitted without the row's family of software"),
    known_field<out_of_chip>("out_of_chip", "Fitted without the runs on the row's accelerator"),
    field<memory_of>("memory", "Memory of the rows that state it"),
    field<TrainingRuns>("layout_sweeps", kOf<&V::sweeps>,
                        "Many layouts of one model on one machine, ranked"),
    field<groups_of>("groups", "The same figures by source, accelerator, size, class and so on"),
    field<run_predictions>("predictions", "Rows one by one, in their order"),
    known_field<seconds_of>("seconds", "CPU time; left out by --reproducible")
        .in("seconds")
        .at_least(0));

template <>
constexpr auto kFields<Steps> = fields<Steps>(
    field<Steps>(
        "accelerator", [](const Steps& v) { return v.answer.accelerator; },
        "Where steps were measured"),
    field<Steps>(
        "stacks", [](const Steps& v) { return v.answer.stacks; }, "Software that ran the steps"),
    field<Steps>(
        "rows", [](const Steps& v) { return v.answer.rows; }, "Rows of the file"),
    field<Steps>(
        "scored", [](const Steps& v) { return v.answer.time.predictions.size(); },
        "Rows that were predicted and measured"),
    field<Steps>(
        "skipped", [](const Steps& v) { return v.answer.skipped; }, "Rows that were not, and why"),
    field<Steps>(
        "abs_error_pct", [](const Steps& v) { return v.answer.time.abs_error; },
        "100 · |predicted / measured − 1|"),
    field<Steps>(
        "worst_abs_error_pct", [](const Steps& v) { return v.answer.time.worst; }, "The largest")
        .in("%")
        .at_least(0),
    field<Steps>(
        "interval_coverage_pct", [](const Steps& v) { return v.answer.time.interval_coverage; },
        "Measurements within their interval")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<step_memory>("memory", "Memory of the rows that state it"),
    field<step_predictions>("predictions", "Rows one by one, in their order"),
    known_field<step_seconds>("seconds", "CPU time; left out by --reproducible")
        .in("seconds")
        .at_least(0));

AnswerSchema validate_schema() {
  const auto file = [](const char* key, const char* meaning) {
    return Value::Object{
        {"type", "object"},
        {"additionalProperties", false},
        {"required", Value::List{key}},
        {"properties",
         Value::Object{{key, Value::Object{{"description", meaning}, {"type", "string"}}}}}};
  };
  return {
      "validate",
      "validate",
      "Answer of `loadfactor validate`",
      "How right the predictions are on published runs, published serving results, measured "
      "steps or whole pre-training runs, beside a trivial baseline. All figures are plain numbers.",
      Value::Object{
          {"anyOf",
           Value::List{schema_of(Type<TrainingFile>()), schema_of(Type<StepsFile>()),
                       file("inference", "Published serving results: a file, or those that ship"),
                       production_file_schema()}}},
      Value::Object{{"anyOf", Value::List{schema_of(Type<TrainingRuns>()), schema_of(Type<Steps>()),
                                          inference_schema(), inference_steps_schema(),
                                          production_schema()}}}};
}

std::string training_validation_json(const TrainingValidation& answer,
                                     const ValidationFrame& frame) {
  return print_json(envelope("validate", to_value(TrainingFile{frame.file}),
                             to_value(TrainingRuns{answer, frame}), frame.notices, {}));
}

std::string step_validation_json(const StepValidation& answer, const ValidationFrame& frame) {
  return print_json(envelope("validate", to_value(StepsFile{frame.file}),
                             to_value(Steps{answer, frame}), frame.notices, {}));
}

std::string training_validation_csv(const TrainingValidation& answer) {
  const ValidationFrame frame;
  return csv_list(schema_of(Type<TrainingRuns>()), to_value(TrainingRuns{answer, frame}),
                  "predictions");
}

std::string step_validation_csv(const StepValidation& answer) {
  const ValidationFrame frame;
  return csv_list(schema_of(Type<Steps>()), to_value(Steps{answer, frame}), "predictions");
}

}  // namespace loadfactor::report
