// `validate`: how accurate is this tool, beside a trivial baseline?
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "config/reader.h"
#include "facade/body.h"
#include "facade/validate/validate_inference.h"
#include "facade/validate/validate_runs.h"
#include "facade/verbs.h"
#include "report/calibrate/validation_report.h"
#include "resolve/train/train_site.h"
#include "validation/inference/inference_steps.h"
#include "validation/training/shipped_training.h"

namespace loadfactor::facade {
namespace {

using validation::PublishedRun;
using validation::PublishedTable;
using validation::RowPrediction;
using validation::ShippedTraining;
using validation::Tier;
using validation::TrainingValidation;

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

// The same without the row's family of software or its chip (`what`), with the intervals that the
// others gave it. A lookup by accelerator knows nothing of a chip without runs.
OutOfFold out_of_far(const config::CsvTable& table,
                     const std::map<std::string, const PublishedRun*>& known, std::string_view what,
                     std::string_view baseline) {
  OutOfFold out;
  for (const auto& cells : table.rows) {
    const auto number = [&](std::string_view name) {
      return std::strtod(cells[*table.column(name)].text.c_str(), nullptr);
    };
    const auto found = known.find(cells[*table.column("id")].text);
    if (found == known.end()) continue;
    out.runs.push_back(found->second);
    out.rows.push_back(
        {found->first, number("measured"), number(fmt::format("without_{}", what)),
         number(fmt::format("low_without_{}", what)), number(fmt::format("high_without_{}", what)),
         baseline.empty() ? 0.0 : number(baseline), found->second->converted, out.rows.size()});
  }
  return out;
}

std::optional<report::OutOfSample> out_of_sample(const ShippedTraining& shipped,
                                                 const PublishedTable& table) {
  Diagnostics diagnostics;
  auto csv = config::parse_csv("calibration/crossval.csv", shipped.crossval, diagnostics);
  for (const char* column :
       {"id", "measured", "without_fold", "without_source", "without_family", "low_without_family",
        "high_without_family", "without_chip", "low_without_chip", "high_without_chip",
        "baseline_without_configuration", "baseline_without_source"}) {
    if (!csv || !csv->column(column)) return std::nullopt;
  }
  std::map<std::string, const PublishedRun*> known;
  for (const auto& run : table.runs) known[run->row.id] = run.get();
  const auto fold = out_of(*csv, shipped, known, "without_fold", "baseline_without_configuration");
  const auto source = out_of(*csv, shipped, known, "without_source", "baseline_without_source");
  const auto family = out_of_far(*csv, known, "family", "baseline_without_source");
  const auto chip = out_of_far(*csv, known, "chip", "");
  return report::OutOfSample{
      validation::summarise(fold.runs, fold.rows), validation::summarise(source.runs, source.rows),
      validation::summarise(family.runs, family.rows), validation::summarise(chip.runs, chip.rows),
      validation::duel_with_baseline(source.runs, source.rows, shipped.calibration.calibration())};
}

Result<config::CsvTable> read_table(const InputFile& file, Diagnostics& diagnostics) {
  return config::parse_csv(file.shown(), std::string(file.bytes), diagnostics);
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

Result<const training::StackTraits*> find_stack(const ShippedTraining& shipped,
                                                const std::string& name) {
  if (const auto* stack = shipped.stacks.find(name)) return stack;
  std::vector<std::string> names;
  for (const auto& stack : shipped.stacks.stacks) names.push_back(stack.name);
  const auto nearest = config::suggest(name, names);
  return Error{.code = lf::kUnknownWord,
               .message = fmt::format("no stack '{}'", name),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : "") +
                       fmt::format("one of: {}", fmt::join(names, ", "))};
}

// Where steps were measured unless the question says.
constexpr const char* kUsualGpu = "h200-sxm";
constexpr const char* kUsualStack = "pytorch-compiled";

// The figures and what stands around them.
template <typename T>
struct Validated {
  T figures;
  report::ValidationFrame frame;
};

report::ValidationFrame styled(report::ValidationFrame frame, const Style& style) {
  if (style.quiet) frame.notices.clear();
  if (style.reproducible) frame.seconds.reset();
  return frame;
}

Result<std::string> render_training_steps(const Validated<validation::StepValidation>& answer,
                                          Format format, const Style& style) {
  const auto frame = styled(answer.frame, style);
  switch (format) {
    case Format::kTable:
    case Format::kMarkdown:
      return report::step_validation_text(answer.figures, frame);
    case Format::kJson:
      return report::step_validation_json(answer.figures, frame);
    case Format::kCsv:
      return report::step_validation_csv(answer.figures);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_validation(const Validated<TrainingValidation>& answer, Format format,
                                      const Style& style) {
  const auto frame = styled(answer.frame, style);
  switch (format) {
    case Format::kTable:
      return report::training_validation_text(answer.figures, frame);
    case Format::kJson:
      return report::training_validation_json(answer.figures, frame);
    case Format::kCsv:
      return report::training_validation_csv(answer.figures);
    case Format::kMarkdown:
      return report::training_validation_markdown(answer.figures, frame);
    default:
      return no_such_form(format);
  }
}

std::optional<double> seconds_since(const Desk& desk, double start) {
  return desk.is_timed() ? std::optional(desk.now() - start) : std::nullopt;
}

std::optional<Answer> training_steps(const Desk& desk, const ValidateQuestion& question,
                                     const config::CsvTable& table, const ShippedTraining& shipped,
                                     const catalog::AcceleratorSpec& chip) {
  Diagnostics& diagnostics = desk.diagnostics;
  const auto stack = find_stack(shipped, question.stack.empty() ? kUsualStack : question.stack);
  if (!stack) return desk.refuse(stack.error());
  const auto unread = validation::unread_step_columns(table, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  const double start = desk.now();
  const auto measured = [&](const std::string& name) {
    const auto site = engine::find_site(desk.engine.catalog(), chip.name, name, diagnostics);
    return site ? site->factors() : training::PartFactors();
  };
  auto answer = validation::validate_steps(table, chip, {&shipped.stacks, *stack, measured},
                                           shipped.calibration, desk.watch(0, 1));
  if (desk.progress.is_cancelled() || !diagnostics.empty()) return std::nullopt;
  if (!answer) return desk.refuse(answer.error());
  if (answer->time.predictions.empty())
    return desk.refuse(nothing_scored(table.file, answer->skipped));
  report::ValidationFrame frame;
  frame.file = table.file;
  frame.seconds = seconds_since(desk, start);
  if (question.gpu.empty())
    frame.notices.push_back({"default-accelerator", Severity::kNote,
                             fmt::format("{} assumed; --gpu names another", chip.name)});
  if (!unread.empty()) frame.notices.push_back(unread_notice(unread));
  return make_answer<Validated<validation::StepValidation>>(
      "validate", {*std::move(answer), std::move(frame)}, render_training_steps,
      {.is_timed = desk.is_timed()});
}

std::optional<Answer> validate_steps(const Desk& desk, const ValidateQuestion& question,
                                     const ShippedTraining& shipped) {
  const auto chip =
      desk.engine.catalog().find_accelerator(question.gpu.empty() ? kUsualGpu : question.gpu);
  if (!chip) return desk.refuse(chip.error());
  const auto table = read_table(*question.rows, desk.diagnostics);
  if (!table) return desk.refuse(table.error());
  if (!desk.diagnostics.empty()) return std::nullopt;
  if (validation::holds_inference_steps(*table))
    return validate_inference_steps(desk, *table, (*chip)->name);
  return training_steps(desk, question, *table, shipped, **chip);
}

// The rows of the user's file, or ours.
std::optional<std::vector<validation::TrainingRow>> rows_of(const Desk& desk,
                                                            const ValidateQuestion& question,
                                                            const ShippedTraining& shipped,
                                                            report::ValidationFrame& frame) {
  if (!question.rows) return shipped.rows;
  const auto table = read_table(*question.rows, desk.diagnostics);
  if (!table) return desk.refuse(table.error());
  const auto unread = validation::unread_columns(*table, desk.diagnostics);
  if (!desk.diagnostics.empty()) return std::nullopt;
  auto rows = validation::read_training_rows(*table);
  if (!rows) return desk.refuse(rows.error());
  if (!unread.empty()) frame.notices.push_back(unread_notice(unread));
  return *std::move(rows);
}

Result<validation::WeightedFigures> weigh(const InputFile& file, const TrainingValidation& answer) {
  Diagnostics diagnostics;
  TRY(const auto table, read_table(file, diagnostics));
  TRY(const auto weights, validation::read_weights(table, diagnostics));
  if (!diagnostics.empty()) return diagnostics.errors().front();
  const auto weighted = validation::weigh(answer.predictions, weights);
  if (weighted.rows > 0) return weighted;
  return Error{.code = lf::kNothingUsable,
               .message = fmt::format("'{}' weighs none of the rows", file.shown()),
               .hint = "its ids must be those of the results"};
}

void note_weights(const TrainingValidation& answer, report::ValidationFrame& frame) {
  if (frame.weighted->without == 0) return;
  frame.notices.push_back({.id = "rows-without-weight",
                           .severity = Severity::kCaution,
                           .arguments = {{"unweighted", fmt::format("{}", frame.weighted->without)},
                                         {"scored", fmt::format("{}", answer.scored)}}});
}

std::optional<Answer> validate_training(const Desk& desk, const ValidateQuestion& question,
                                        const ShippedTraining& shipped) {
  const auto context = shipped.context(desk.engine.catalog());
  const PublishedTable known = validation::make_runs(shipped.rows, context, desk.watch(0, 0.4));
  report::ValidationFrame frame;
  frame.file = question.rows ? question.rows->shown() : "published/training.csv";
  const auto rows = rows_of(desk, question, shipped, frame);
  if (!rows) return std::nullopt;
  const double start = desk.now();
  const PublishedTable table = validation::make_runs(*rows, context, desk.watch(0.4, 0.8));
  if (desk.progress.is_cancelled()) return std::nullopt;
  const validation::LookupBaseline baseline(stated(known));
  auto answer =
      validation::validate_training(table, shipped.calibration, baseline, desk.watch(0.8, 1));
  if (desk.progress.is_cancelled()) return std::nullopt;
  frame.seconds = seconds_since(desk, start);
  if (answer.scored == 0) return desk.refuse(nothing_scored(frame.file, answer.skipped));
  if (question.weights) {
    auto weighted = weigh(*question.weights, answer);
    if (!weighted) return desk.refuse(weighted.error());
    frame.weighted = *std::move(weighted);
    note_weights(answer, frame);
  }
  if (!question.rows) frame.out_of_sample = out_of_sample(shipped, known);
  return make_answer<Validated<TrainingValidation>>(
      "validate", {std::move(answer), std::move(frame)}, render_validation,
      {.is_timed = desk.is_timed()});
}

// Options that go with steps alone, or need rows.
std::optional<Error> find_misuse(const ValidateQuestion& question) {
  const auto usage_error = [](std::string message, std::string hint) {
    return Error{.code = lf::kUsage, .message = std::move(message), .hint = std::move(hint)};
  };
  const bool steps = question.kind == ValidateKind::kSteps;
  if (steps && !question.rows)
    return usage_error("--steps needs a file", "write `--steps FILE.csv`");
  if (question.kind == ValidateKind::kInference && !question.rows && question.weights)
    return usage_error("--weights needs the rows that it weighs", "write `--inference FILE.csv`");
  if (!steps && !question.gpu.empty())
    return usage_error("--gpu goes with --steps: published rows name their accelerator",
                       "leave it out, or write `--steps FILE.csv --gpu NAME`");
  if (!steps && !question.stack.empty())
    return usage_error("--stack goes with --steps: published rows name their framework",
                       "leave it out");
  if ((steps || question.kind == ValidateKind::kRuns) && question.weights)
    return usage_error("--weights goes with --training or --inference", "leave it out");
  return std::nullopt;
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const ValidateQuestion& question) {
  if (!question.gpu.empty()) {
    const auto chip = desk.engine.catalog().find_accelerator(question.gpu);
    if (!chip) return desk.refuse(chip.error());
  }
  if (auto misuse = find_misuse(question)) return desk.refuse(*std::move(misuse));
  if (question.kind == ValidateKind::kInference) return validate_inference(desk, question);
  const auto shipped =
      validation::load_shipped_training(catalog::builtin_files(), desk.diagnostics);
  if (!desk.diagnostics.empty()) return std::nullopt;
  if (question.kind == ValidateKind::kSteps) return validate_steps(desk, question, shipped);
  if (question.kind == ValidateKind::kRuns) return validate_whole_runs(desk, question, shipped);
  return validate_training(desk, question, shipped);
}

}  // namespace loadfactor::facade
