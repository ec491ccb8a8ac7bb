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
#include "cli/session/files.h"
#include "cli/session/session.h"
#include "cli/validate_inference.h"
#include "cli/verbs.h"
#include "config/csv.h"
#include "config/reader.h"
#include "report/calibrate/validation_report.h"
#include "resolve/train/train_site.h"
#include "validation/inference/inference_steps.h"
#include "validation/training/shipped_training.h"

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
  std::string steps;
  std::string gpu;
  std::string stack;
  std::string weights;
};

std::vector<const PublishedRun*> stated(const PublishedTable& table) {
  std::vector<const PublishedRun*> runs;
  for (const auto& run : table.runs) {
    if (run->tier == Tier::kFull || run->tier == Tier::kPartial) runs.push_back(run.get());
  }
  return runs;
}

struct OutOfFold {
  std::vector<const PublishedRun*> runs;
  std::vector<RowPrediction> rows;
};

// The shipped out-of-fold predictions of one column, with today's intervals around them.
OutOfFold out_of(const config::CsvTable& table, const ShippedTraining& shipped,
                 const std::map<std::string, const PublishedRun*>& known, std::string_view column,
                 std::string_view baseline) {
  OutOfFold out;
  const training::Calibration calibration = shipped.calibration.calibration();
  for (const auto& cells : table.rows) {
    const auto number = [&](std::string_view name) {
      return std::strtod(cells[*table.column(name)].text.c_str(), nullptr);
    };
    const auto found = known.find(cells[*table.column("id")].text);
    if (found == known.end()) continue;
    const auto width = validation::interval_of(*found->second, shipped.calibration, calibration);
    const double said = number(column);
    out.runs.push_back(found->second);
    out.rows.push_back({found->first, number("measured"), said, said * std::exp(-width.low),
                        said * std::exp(width.high), number(baseline), found->second->converted,
                        out.rows.size()});
  }
  return out;
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
  const auto fold = out_of(*csv, shipped, known, "without_fold", "baseline_without_configuration");
  const auto source = out_of(*csv, shipped, known, "without_source", "baseline_without_source");
  return report::OutOfSample{
      validation::summarise(fold.runs, fold.rows), validation::summarise(source.runs, source.rows),
      validation::duel_with_baseline(source.runs, source.rows, shipped.calibration.calibration())};
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

Notice unread_notice(const std::vector<std::string>& columns) {
  return {"columns-not-read", Severity::kCaution,
          fmt::format("{} not read: {}", columns.size() == 1 ? "column" : "columns",
                      fmt::join(columns, ", "))};
}

const training::StackTraits* find_stack(Session& session, const ShippedTraining& shipped,
                                        const std::string& name) {
  if (const auto* stack = shipped.stacks.find(name)) return stack;
  std::vector<std::string> names;
  for (const auto& stack : shipped.stacks.stacks) names.push_back(stack.name);
  const auto nearest = config::suggest(name, names);
  session.fail(Error{.code = lf::kUnknownWord,
                     .message = fmt::format("no stack '{}'", name),
                     .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                             fmt::format("one of: {}", fmt::join(names, ", "))});
  return nullptr;
}

// Where steps were measured unless a flag says.
constexpr const char* kUsualGpu = "h200-sxm";
constexpr const char* kUsualStack = "pytorch-compiled";

void run_steps(Session& session, const ValidateFlags& flags, const ShippedTraining& shipped,
               const std::string& format) {
  const std::string gpu = flags.gpu.empty() ? kUsualGpu : flags.gpu;
  const auto chip = session.engine()->catalog().find_accelerator(gpu);
  if (!chip) return session.fail(chip.error());
  const auto* stack = find_stack(session, shipped, flags.stack.empty() ? kUsualStack : flags.stack);
  if (stack == nullptr) return;
  Diagnostics diagnostics;
  const auto table = read_table(flags.steps, diagnostics);
  if (!table) return session.fail(table.error());
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (validation::holds_inference_steps(*table))
    return validate_inference_steps(session, *table, (*chip)->name, format);
  const auto unread = validation::unread_step_columns(*table, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  const auto start = std::chrono::steady_clock::now();
  const auto measured = [&](const std::string& name) {
    const auto site =
        engine::find_site(session.engine()->catalog(), (*chip)->name, name, diagnostics);
    return site ? site->factors() : training::PartFactors();
  };
  const auto answer = validation::validate_steps(*table, **chip, {&shipped.stacks, stack, measured},
                                                 shipped.calibration);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (!answer) return session.fail(answer.error());
  if (answer->time.predictions.empty())
    return session.fail(nothing_scored(flags.steps, answer->skipped));
  report::ValidationFrame frame;
  frame.file = flags.steps;
  frame.seconds = elapsed(session, start);
  if (flags.gpu.empty())
    frame.notices.push_back({"default-accelerator", Severity::kNote,
                             fmt::format("{} assumed; --gpu names another", (*chip)->name)});
  if (!unread.empty()) frame.notices.push_back(unread_notice(unread));
  if (session.options().quiet) frame.notices.clear();
  if (format == "json") return session.write(report::step_validation_json(*answer, frame));
  if (format == "csv") return session.write(report::step_validation_csv(*answer));
  session.write(report::step_validation_text(*answer, frame));
}

// The rows of the user's file, or ours; nothing after a failure that has been told.
std::optional<std::vector<validation::TrainingRow>> rows_of(Session& session,
                                                            const ValidateFlags& flags,
                                                            const ShippedTraining& shipped,
                                                            report::ValidationFrame& frame) {
  if (flags.training.empty()) return shipped.rows;
  Diagnostics diagnostics;
  const auto fail = [&session](const auto& problem) {
    session.fail(problem);
    return std::nullopt;
  };
  const auto table = read_table(flags.training, diagnostics);
  if (!table) return fail(table.error());
  const auto unread = validation::unread_columns(*table, diagnostics);
  if (!diagnostics.empty()) return fail(diagnostics);
  auto rows = validation::read_training_rows(*table);
  if (!rows) return fail(rows.error());
  if (!unread.empty()) frame.notices.push_back(unread_notice(unread));
  return *std::move(rows);
}

Result<validation::WeightedFigures> weigh(const std::string& path,
                                          const TrainingValidation& answer) {
  Diagnostics diagnostics;
  TRY(const auto table, read_table(path, diagnostics));
  TRY(const auto weights, validation::read_weights(table, diagnostics));
  if (!diagnostics.empty()) return diagnostics.errors().front();
  const auto weighted = validation::weigh(answer.predictions, weights);
  if (weighted.rows > 0) return weighted;
  return Error{.code = lf::kNothingUsable,
               .message = fmt::format("'{}' weighs none of the rows", path),
               .hint = "its ids must be those of the results"};
}

void note_weights(const TrainingValidation& answer, report::ValidationFrame& frame) {
  if (frame.weighted->without == 0) return;
  frame.notices.push_back(
      {"rows-without-weight", Severity::kCaution,
       fmt::format("{} of {} rows have no weight and do not count in the weighted figures",
                   frame.weighted->without, answer.scored)});
}

void run_training(Session& session, const ValidateFlags& flags, const ShippedTraining& shipped,
                  const std::string& format) {
  const auto context = shipped.context(session.engine()->catalog());
  const PublishedTable known = validation::make_runs(shipped.rows, context);
  report::ValidationFrame frame;
  frame.file = flags.training.empty() ? "published/training.csv" : flags.training;
  const auto rows = rows_of(session, flags, shipped, frame);
  if (!rows) return;
  const auto start = std::chrono::steady_clock::now();
  const PublishedTable table = validation::make_runs(*rows, context);
  const validation::LookupBaseline baseline(stated(known));
  const auto answer = validation::validate_training(table, shipped.calibration, baseline);
  frame.seconds = elapsed(session, start);
  if (answer.scored == 0) return session.fail(nothing_scored(frame.file, answer.skipped));
  if (!flags.weights.empty()) {
    const auto weighted = weigh(flags.weights, answer);
    if (!weighted) return session.fail(weighted.error());
    frame.weighted = *weighted;
    note_weights(answer, frame);
  }
  if (flags.training.empty()) frame.out_of_sample = out_of_sample(shipped, known);
  if (session.options().quiet) frame.notices.clear();
  if (format == "json") return session.write(report::training_validation_json(answer, frame));
  if (format == "csv") return session.write(report::training_validation_csv(answer));
  if (format == "md") return session.write(report::training_validation_markdown(answer, frame));
  session.write(report::training_validation_text(answer, frame));
}

// Which flags were written, with a file or without.
struct Asked {
  bool training = false;
  bool inference = false;
};

// Flags that go with --steps alone, or contradict each other.
std::optional<Error> misused(const ValidateFlags& flags, const Asked& asked) {
  const auto usage = [](std::string message, std::string hint) {
    return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
  };
  if (asked.training + asked.inference + !flags.steps.empty() > 1)
    return usage("--training, --inference and --steps are different questions",
                 "ask one at a time");
  if (asked.inference && flags.inference.empty() && !flags.weights.empty())
    return usage("--weights needs the rows that it weighs", "write `--inference FILE.csv`");
  if (flags.steps.empty() && !flags.gpu.empty())
    return usage("--gpu goes with --steps: published rows name their accelerator",
                 "leave it out, or write `--steps FILE.csv --gpu NAME`");
  if (flags.steps.empty() && !flags.stack.empty())
    return usage("--stack goes with --steps: published rows name their framework", "leave it out");
  if (!flags.steps.empty() && !flags.weights.empty())
    return usage("--weights goes with --training or --inference", "leave it out");
  return std::nullopt;
}

void run_validate(Session& session, const ValidateFlags& flags, const Asked& asked) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  if (session.engine() == nullptr) return;
  if (!flags.gpu.empty()) {
    const auto chip = session.engine()->catalog().find_accelerator(flags.gpu);
    if (!chip) return session.fail(chip.error());
  }
  if (const auto error = misused(flags, asked)) return session.fail(*error);
  if (asked.inference)
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
  auto* training = verb->add_option("--training", flags->training,
                                    "published training results; ours if left out")
                       ->type_name("FILE.csv")
                       ->expected(0, 1);
  auto* inference =
      verb->add_option("--inference", flags->inference,
                       "published serving results; how ours did on theirs if left out")
          ->type_name("FILE.csv")
          ->expected(0, 1);
  verb->add_option("--steps", flags->steps, "whole measured steps, of training or of inference")
      ->type_name("FILE.csv");
  verb->add_option("--gpu", flags->gpu, "where the steps were measured; h200-sxm if left out")
      ->type_name("NAME");
  verb->add_option("--stack", flags->stack,
                   "what ran the steps where their rows do not say; pytorch-compiled if left out")
      ->type_name("NAME");
  verb->add_option("--weights", flags->weights, "how much each row counts: columns id, weight")
      ->type_name("FILE.csv");
  verb->callback([flags, training, inference, &session] {
    run_validate(session, *flags, {training->count() > 0, inference->count() > 0});
  });
}

}  // namespace loadfactor::cli
