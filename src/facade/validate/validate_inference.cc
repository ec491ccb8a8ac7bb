#include "facade/validate/validate_inference.h"

#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/body.h"
#include "report/calibrate/inference_report.h"
#include "validation/inference/inference_steps.h"
#include "validation/inference/inference_validation.h"
#include "validation/inference/simulated_load.h"

namespace loadfactor::facade {
namespace {

Result<config::CsvTable> read_rows(const InputFile& file, Diagnostics& diagnostics) {
  return config::parse_csv(file.shown(), std::string(file.bytes), diagnostics);
}

// Rows with more or fewer cells than the header are dropped and named, as other bad ones are.
std::vector<validation::SkippedRow> take_ragged(Diagnostics& diagnostics) {
  std::vector<validation::SkippedRow> ragged;
  Diagnostics others;
  for (const Error& error : diagnostics.errors()) {
    if (error.code != lf::kRaggedRow)
      others.add(error);
    else
      ragged.push_back({.id = "", .reason = error.message, .line = error.where.line});
  }
  diagnostics = others;
  return ragged;
}

Error no_row_scored(const std::string& file, const std::vector<validation::SkippedRow>& skipped) {
  Error error{.code = lf::kNothingUsable,
              .message = fmt::format("not one row of '{}' could be scored", file),
              .hint = "mend the rows named above, or the names of the columns"};
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < skipped.size() && i < kShown; ++i)
    error.notes.push_back(fmt::format("{}: {}", skipped[i].name(), skipped[i].reason));
  return error;
}

// Weights of rows by id; LF513 where the table has no such columns.
Result<bool> set_weights(const InputFile& file, const validation::InferenceTable& table,
                         Diagnostics& diagnostics) {
  const std::string& path = file.shown();
  TRY(const auto csv, read_rows(file, diagnostics));
  const auto weights = validation::read_weights(csv);
  if (weights.empty()) {
    return Error{
        .code = lf::kMissingColumn,
        .message = fmt::format("'{}' has no weights: it needs the columns id and weight", path)};
  }
  double all = 0;
  for (const auto& run : table.runs) {
    const auto found = weights.find(run->row.id);
    run->weight = found != weights.end() ? found->second : 0.0;
    all += run->weight;
  }
  if (all > 0) return true;
  return Error{.code = lf::kNothingUsable,
               .message = fmt::format("'{}' weighs none of the rows", path),
               .hint = "its ids must be those of the results"};
}

// Serving results, with what their report shows beside them.
struct InferenceAnswer {
  validation::InferenceValidation figures;
  std::string file;
  bool weighted = false;
  bool is_sample = false;
  std::vector<std::string> shipped;
  std::optional<double> seconds;
};

std::string fenced(const std::string& text, Format format) {
  return format == Format::kMarkdown ? "```\n" + text + "```\n" : text;
}

Result<std::string> render_inference(const InferenceAnswer& answer, Format format,
                                     const Style& style) {
  const report::InferenceReport shown{
      answer.figures,   answer.file,    answer.weighted,
      answer.is_sample, answer.shipped, style.reproducible ? std::nullopt : answer.seconds};
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return fenced(report::inference_validation_text(shown), format);
    case Format::kJson:
      return report::inference_validation_json(shown);
    case Format::kCsv:
      return report::inference_validation_csv(answer.figures);
    default:
      return no_such_form(format);
  }
}

struct StepsAnswer {
  validation::InferenceStepValidation figures;
  std::string file;
  std::optional<double> seconds;
};

Result<std::string> render_inference_steps(const StepsAnswer& answer, Format format,
                                           const Style& style) {
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return fenced(report::inference_steps_text(answer.figures), format);
    case Format::kJson:
      return report::inference_steps_json(answer.figures, answer.file,
                                          style.reproducible ? std::nullopt : answer.seconds);
    case Format::kCsv:
      return report::inference_steps_csv(answer.figures);
    default:
      return no_such_form(format);
  }
}

// Every row beside its prediction; LF605 where that was cancelled.
Result<validation::InferenceValidation> score(const validation::InferenceTable& table,
                                              const serving::ServingCalibration& calibration,
                                              const Desk& desk) {
  const serving::Constants constants = calibration.values();
  validation::RowPredictor predictor(constants);
  const validation::RooflineBaseline baseline(calibration.baseline);
  std::vector<const validation::InferenceRun*> runs;
  std::vector<validation::InferencePrediction> predictions;
  const auto watch = desk.watch(0.5, 1);
  for (const auto& run : table.runs) {
    if (!watch(runs.size(), table.runs.size())) return cancelled();
    runs.push_back(run.get());
    const int simulated = predictor.simulated();
    const double predicted = predictor.predict(*run);
    const auto by = predictor.simulated() > simulated ? validation::Predictor::kSimulator
                                                      : validation::Predictor::kClosedForm;
    predictions.push_back(
        validation::predict_row(*run, predicted, calibration, baseline.predict(*run), by));
  }
  auto answer = validation::summarise_inference(runs, std::move(predictions));
  answer.simulated = predictor.simulated();
  answer.skipped = table.skipped;
  answer.assumed = table.assumed;
  return answer;
}

// Published results as a table.
struct PublishedRows {
  config::CsvTable table;
  std::vector<validation::SkippedRow> ragged;
  std::string file;
  bool is_sample = false;
};

// The user's file, or the sample that ships (or that an overlay has in its place).
std::optional<PublishedRows> rows_of(const Desk& desk, const ValidateQuestion& question) {
  constexpr std::string_view kSample = "published/serving.csv";
  PublishedRows rows;
  Diagnostics diagnostics;
  if (question.rows) {
    rows.file = question.rows->shown();
    auto table = read_rows(*question.rows, diagnostics);
    if (!table) return desk.refuse(table.error());
    rows.table = *std::move(table);
  } else {
    const auto* file = desk.engine.catalog().find_file(kSample);
    if (file == nullptr)
      return desk.refuse(Error{.code = lf::kNothingUsable,
                               .message = fmt::format("the catalogue has no '{}'", kSample),
                               .hint = "write `--inference FILE.csv`"});
    rows.file = file->shown_as;
    rows.is_sample = true;
    auto table = config::parse_csv(file->shown_as, file->text, diagnostics);
    if (!table) return desk.refuse(table.error());
    rows.table = *std::move(table);
  }
  rows.ragged = take_ragged(diagnostics);
  desk.diagnostics.add_all(diagnostics);
  if (!desk.diagnostics.empty()) return std::nullopt;
  return rows;
}

std::optional<double> clocked_since(const Desk& desk, double start) {
  return desk.is_timed() ? std::optional(desk.now() - start) : std::nullopt;
}

}  // namespace

std::optional<Answer> validate_inference(const Desk& desk, const ValidateQuestion& question) {
  const auto published = rows_of(desk, question);
  if (!published) return std::nullopt;
  const double start = desk.now();
  const auto rows = validation::read_inference_rows(published->table);
  if (!rows) return desk.refuse(rows.error());
  const auto files = catalog::builtin_files();
  const auto& catalog = desk.engine.catalog();
  const auto calibration =
      serving::find_serving_calibration(files, catalog.generations(), desk.diagnostics);
  serving::HardwareShelf hardware(catalog, files, desk.diagnostics);
  if (!desk.diagnostics.empty()) return std::nullopt;
  validation::RunMaker maker(catalog, hardware, calibration);
  auto table = validation::make_inference_runs(*rows, maker, desk.watch(0, 0.5));
  if (desk.progress.is_cancelled()) return std::nullopt;
  table.skipped.insert(table.skipped.end(), published->ragged.begin(), published->ragged.end());
  if (table.runs.empty()) return desk.refuse(no_row_scored(published->file, table.skipped));
  if (question.weights) {
    Diagnostics diagnostics;
    const auto set = set_weights(*question.weights, table, diagnostics);
    if (!set) return desk.refuse(set.error());
  }
  auto figures = score(table, calibration, desk);
  if (!figures) return desk.refuse(figures.error());
  figures->rows = static_cast<int>(rows->size() + published->ragged.size());
  const bool weighted = question.weights.has_value() || validation::have_weights(*rows);
  return make_answer<InferenceAnswer>(
      "validate",
      {*std::move(figures), published->file, weighted, published->is_sample, calibration.results,
       clocked_since(desk, start)},
      render_inference, {.is_timed = desk.is_timed()});
}

std::optional<Answer> validate_inference_steps(const Desk& desk, const config::CsvTable& table,
                                               const std::string& gpu) {
  const double start = desk.now();
  const auto& catalog = desk.engine.catalog();
  const auto chip = catalog.find_accelerator(gpu);
  if (!chip) return desk.refuse(chip.error());
  // Those of the user's overlay in place of ours.
  std::vector<catalog::DataFile> files;
  for (const auto& path : catalog.paths_below("calibration/"))
    files.push_back(*catalog.find_file(path));
  const auto calibration =
      serving::find_serving_calibration(files, catalog.generations(), desk.diagnostics);
  serving::HardwareShelf hardware(catalog, files, desk.diagnostics);
  if (!desk.diagnostics.empty()) return std::nullopt;
  auto answer = validation::validate_inference_steps(table, **chip, catalog, hardware, calibration,
                                                     desk.watch(0, 1));
  if (desk.progress.is_cancelled()) return std::nullopt;
  if (!answer) return desk.refuse(answer.error());
  if (answer->predictions.empty()) return desk.refuse(no_row_scored(table.file, answer->skipped));
  return make_answer<StepsAnswer>("validate",
                                  {*std::move(answer), table.file, clocked_since(desk, start)},
                                  render_inference_steps, {.is_timed = desk.is_timed()});
}

}  // namespace loadfactor::facade
