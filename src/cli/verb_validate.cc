// `loadfactor validate`: how accurate is this tool, beside a trivial baseline?
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/validate_inference.h"
#include "config/csv.h"
#include "report/validation_report.h"
#include "validation/cross_validation.h"
#include "validation/inference_steps.h"
#include "validation/shipped_training.h"

namespace loadfactor::cli {
namespace {

using validation::PublishedRun;
using validation::PublishedTable;
using validation::RowPrediction;
using validation::ShippedTraining;
using validation::Tier;
using validation::TrainingValidation;

struct ValidateFlags {
  std::string training;
  std::string inference;
  std::string weights;
  std::string steps;
  std::string gpu = "h200-sxm";
};

std::vector<const PublishedRun*> stated(const PublishedTable& table) {
  std::vector<const PublishedRun*> runs;
  for (const auto& run : table.runs) {
    if (run->tier == Tier::kFull || run->tier == Tier::kPartial) runs.push_back(run.get());
  }
  return runs;
}

// The shipped out-of-fold predictions of one column, with today's intervals around them.
TrainingValidation out_of(const config::CsvTable& table, const ShippedTraining& shipped,
                          const std::map<std::string, const PublishedRun*>& known,
                          std::string_view column, std::string_view baseline) {
  std::vector<const PublishedRun*> runs;
  std::vector<RowPrediction> rows;
  const training::Calibration calibration = shipped.calibration.calibration();
  for (const auto& cells : table.rows) {
    const auto number = [&](std::string_view name) {
      return std::strtod(cells[*table.column(name)].text.c_str(), nullptr);
    };
    const auto found = known.find(cells[*table.column("id")].text);
    if (found == known.end()) continue;
    const auto width = validation::interval_of(*found->second, shipped.calibration, calibration);
    const double said = number(column);
    runs.push_back(found->second);
    rows.push_back({found->first, number("measured"), said, said * std::exp(-width.low),
                    said * std::exp(width.high), number(baseline), found->second->converted});
  }
  return validation::summarise(runs, rows);
}

std::optional<report::OutOfSample> out_of_sample(const ShippedTraining& shipped,
                                                 const PublishedTable& table) {
  Diagnostics diagnostics;
  auto csv = config::parse_csv("calibration/crossval.csv", shipped.crossval, diagnostics);
  for (const char* column : {"id", "measured", "without_fold", "without_source",
                             "baseline_without_configuration", "baseline_without_source"}) {
    if (!csv || !csv->column(column)) return std::nullopt;
  }
  std::map<std::string, const PublishedRun*> known;
  for (const auto& run : table.runs) known[run->row.id] = run.get();
  return report::OutOfSample{
      out_of(*csv, shipped, known, "without_fold", "baseline_without_configuration"),
      out_of(*csv, shipped, known, "without_source", "baseline_without_source")};
}

std::optional<double> elapsed(const Session& session, std::chrono::steady_clock::time_point start) {
  if (session.options().reproducible) return std::nullopt;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<config::CsvTable> read_table(const std::string& path, Diagnostics& diagnostics) {
  TRY(auto text, read_file(path));
  return config::parse_csv(path, std::move(text), diagnostics);
}

// A score of nothing would read as a perfect one.
Error nothing_scored(const std::string& file, const std::vector<validation::SkippedRow>& skipped) {
  Error error{.code = lf::kNothingUsable,
              .message = fmt::format("not one row of '{}' could be scored", file),
              .hint = "mend the rows named above, or the names of the columns"};
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < skipped.size() && i < kShown; ++i)
    error.notes.push_back(fmt::format("{}: {}", skipped[i].id, skipped[i].reason));
  return error;
}

void run_steps(Session& session, const ValidateFlags& flags, const ShippedTraining& shipped,
               const std::string& format) {
  Diagnostics diagnostics;
  const auto table = read_table(flags.steps, diagnostics);
  if (!table) return session.fail(table.error());
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (validation::holds_inference_steps(*table))
    return validate_inference_steps(session, *table, flags.gpu, format);
  const auto start = std::chrono::steady_clock::now();
  const auto chip = session.engine()->catalog().find_accelerator(flags.gpu);
  if (!chip) return session.fail(chip.error());
  const auto answer = validation::validate_steps(
      *table, **chip, *shipped.stacks.find("pytorch-compiled"), shipped.calibration);
  if (!answer) return session.fail(answer.error());
  if (answer->predictions.empty())
    return session.fail(nothing_scored(flags.steps, answer->skipped));
  if (format == "json") {
    return session.write(
        report::step_validation_json(*answer, flags.steps, elapsed(session, start)));
  }
  session.write(report::step_validation_text(*answer));
}

void run_training(Session& session, const ValidateFlags& flags, const ShippedTraining& shipped,
                  const std::string& format) {
  const auto context = shipped.context(session.engine()->catalog());
  const PublishedTable known = validation::make_runs(shipped.rows, context);
  std::vector<validation::TrainingRow> rows = shipped.rows;
  if (!flags.training.empty()) {
    Diagnostics diagnostics;
    const auto table = read_table(flags.training, diagnostics);
    if (!table) return session.fail(table.error());
    auto read = validation::read_training_rows(*table, diagnostics);
    if (!read) return session.fail(read.error());
    if (!diagnostics.empty()) return session.fail(diagnostics);
    rows = *std::move(read);
  }
  const auto start = std::chrono::steady_clock::now();
  const PublishedTable table = validation::make_runs(rows, context);
  const validation::LookupBaseline baseline(stated(known));
  const auto answer = validation::validate_training(table, shipped.calibration, baseline);
  if (answer.scored == 0) return session.fail(nothing_scored(flags.training, answer.skipped));
  const auto beside =
      flags.training.empty() ? out_of_sample(shipped, known) : std::optional<report::OutOfSample>();
  const std::string file = flags.training.empty() ? "published/training.csv" : flags.training;
  if (format == "json") {
    return session.write(
        report::training_validation_json(answer, file, beside, elapsed(session, start)));
  }
  if (format == "csv") return session.write(report::training_validation_csv(answer));
  session.write(report::training_validation_text(answer, beside));
}

void run_validate(Session& session, const ValidateFlags& flags) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (session.engine() == nullptr) return;
  if (!flags.inference.empty())
    return validate_inference(session, {flags.inference, flags.weights}, *format);
  Diagnostics diagnostics;
  const auto shipped = validation::load_shipped_training(catalog::builtin_files(), diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (!flags.steps.empty()) return run_steps(session, flags, shipped, *format);
  run_training(session, flags, shipped, *format);
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("validate", "how accurate is this tool?");
  session.add_common_options(*verb);
  auto flags = std::make_shared<ValidateFlags>();
  verb->add_option("--training", flags->training, "published training results; ours if left out")
      ->type_name("FILE.csv")
      ->expected(0, 1);
  verb->add_option("--inference", flags->inference, "published serving results")
      ->type_name("FILE.csv");
  verb->add_option("--weights", flags->weights, "weights of the serving results, by id")
      ->type_name("FILE.csv");
  verb->add_option("--steps", flags->steps, "whole measured steps, of training or of inference")
      ->type_name("FILE.csv");
  verb->add_option("--gpu", flags->gpu, "where the steps were measured")->type_name(" ");
  verb->callback([flags, &session] { run_validate(session, *flags); });
}

}  // namespace loadfactor::cli
