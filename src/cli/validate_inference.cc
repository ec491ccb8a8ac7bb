#include "cli/validate_inference.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/files.h"
#include "report/calibrate/inference_report.h"
#include "validation/inference/inference_steps.h"
#include "validation/inference/inference_validation.h"

namespace loadfactor::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<double> elapsed(const Session& session, Clock::time_point start) {
  if (session.options().reproducible) return std::nullopt;
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<config::CsvTable> read_table(const std::string& path, Diagnostics& diagnostics) {
  TRY(auto text, read_file(path));
  return config::parse_csv(path, std::move(text), diagnostics);
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

Error nothing_scored(const std::string& file, const std::vector<validation::SkippedRow>& skipped) {
  Error error{.code = lf::kNothingUsable,
              .message = fmt::format("not one row of '{}' could be scored", file),
              .hint = "mend the rows named above, or the names of the columns"};
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < skipped.size() && i < kShown; ++i)
    error.notes.push_back(fmt::format("{}: {}", skipped[i].name(), skipped[i].reason));
  return error;
}

// Weights of rows by id; LF513 where the table has no such columns.
Result<bool> set_weights(const std::string& path, const validation::InferenceTable& table,
                         Diagnostics& diagnostics) {
  TRY(const auto csv, read_table(path, diagnostics));
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

// The results themselves do not ship; how the constants did on them does.
void tell_shipped(Session& session, const std::string& format) {
  Diagnostics diagnostics;
  const auto calibration =
      serving::find_serving_calibration(catalog::builtin_files(), {}, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (format == "json") return session.write(report::shipped_inference_json(calibration.results));
  if (format == "csv") {
    return session.fail(Error{.code = lf::kUsage,
                              .message = "without a file there are no rows to list",
                              .hint = "write `--inference FILE.csv`, or leave --format out"});
  }
  session.write(report::shipped_inference_text(calibration.results));
}

}  // namespace

void validate_inference(Session& session, const ValidateInferenceFlags& flags,
                        const std::string& format) {
  if (flags.file.empty()) return tell_shipped(session, format);
  Diagnostics diagnostics;
  const auto csv = read_table(flags.file, diagnostics);
  if (!csv) return session.fail(csv.error());
  const auto ragged = take_ragged(diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  const auto start = Clock::now();
  const auto rows = validation::read_inference_rows(*csv);
  if (!rows) return session.fail(rows.error());
  const auto files = catalog::builtin_files();
  const auto& catalog = session.engine()->catalog();
  const auto calibration =
      serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  serving::HardwareShelf hardware(catalog, files, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  validation::RunMaker maker(catalog, hardware, calibration);
  auto table = validation::make_inference_runs(*rows, maker);
  table.skipped.insert(table.skipped.end(), ragged.begin(), ragged.end());
  if (table.runs.empty()) return session.fail(nothing_scored(flags.file, table.skipped));
  if (!flags.weights.empty()) {
    const auto set = set_weights(flags.weights, table, diagnostics);
    if (!set) return session.fail(set.error());
  }
  const serving::Constants constants = calibration.values();
  const validation::RooflineBaseline baseline(calibration.baseline);
  std::vector<const validation::InferenceRun*> runs;
  std::vector<validation::InferencePrediction> predictions;
  for (const auto& run : table.runs) {
    runs.push_back(run.get());
    predictions.push_back(validation::predict_row(*run, run->predict(constants), calibration,
                                                  baseline.predict(*run)));
  }
  auto answer = validation::summarise_inference(runs, std::move(predictions));
  answer.rows = static_cast<int>(rows->size() + ragged.size());
  answer.skipped = table.skipped;
  answer.assumed = table.assumed;
  const report::InferenceReport report{answer, flags.file, !flags.weights.empty(),
                                       calibration.results, elapsed(session, start)};
  if (format == "json") return session.write(report::inference_validation_json(report));
  if (format == "csv") return session.write(report::inference_validation_csv(answer));
  const std::string text = report::inference_validation_text(report);
  session.write(format == "md" ? "```\n" + text + "```\n" : text);
}

void validate_inference_steps(Session& session, const config::CsvTable& table,
                              const std::string& gpu, const std::string& format) {
  const auto start = Clock::now();
  Diagnostics diagnostics;
  const auto& catalog = session.engine()->catalog();
  const auto chip = catalog.find_accelerator(gpu);
  if (!chip) return session.fail(chip.error());
  // Those of the user's overlay in place of ours.
  std::vector<catalog::DataFile> files;
  for (const auto& path : catalog.paths_below("calibration/"))
    files.push_back(*catalog.find_file(path));
  const auto calibration =
      serving::find_serving_calibration(files, catalog.generations(), diagnostics);
  serving::HardwareShelf hardware(catalog, files, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  const auto answer =
      validation::validate_inference_steps(table, **chip, catalog, hardware, calibration);
  if (!answer) return session.fail(answer.error());
  if (answer->predictions.empty()) return session.fail(nothing_scored(table.file, answer->skipped));
  if (format == "json") {
    return session.write(
        report::inference_steps_json(*answer, table.file, elapsed(session, start)));
  }
  if (format == "csv") return session.write(report::inference_steps_csv(*answer));
  const std::string text = report::inference_steps_text(*answer);
  session.write(format == "md" ? "```\n" + text + "```\n" : text);
}

}  // namespace loadfactor::cli
