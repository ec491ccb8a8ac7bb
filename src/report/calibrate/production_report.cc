#include "report/calibrate/production_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/calibrate/validation_fields.h"
#include "report/describe/csv.h"

namespace loadfactor::report {
namespace {

using validation::ErrorFigures;
using validation::ProductionPrediction;
using validation::ProductionValidation;

struct WholeRuns {
  const ProductionValidation& answer;
  const ValidationFrame& frame;
};
std::optional<double> seconds_of(const WholeRuns& runs) {
  return runs.frame.seconds;
}
struct RunsFile {
  std::string runs;
};

double goodput_of(const ProductionPrediction& run) {
  return run.goodput.value;
}

std::string figures_text(const ErrorFigures& f) {
  return fmt::format("median {:.1f} %, mean {:.1f} %, p90 {:.1f} %", f.median, f.mean, f.p90);
}

std::string row_text(const ProductionPrediction& run) {
  return fmt::format("{:<18}{:<15}{:>7}{:>11.0f}{:>11.0f}{:>11.0f}{:>7.2f}{}\n", run.model,
                     run.accelerator, run.gpus, run.measured, run.steady, run.predicted,
                     run.predicted / run.measured,
                     run.low <= run.measured && run.measured <= run.high ? "" : "  outside");
}

}  // namespace

template <>
constexpr auto kFields<RunsFile> =
    fields<RunsFile>(field<&RunsFile::runs>("runs", "The table of whole runs"));

template <>
constexpr auto kFields<ProductionPrediction> = fields<ProductionPrediction>(
    field<&ProductionPrediction::id>("id", "Id of the run"),
    field<&ProductionPrediction::model>("model", "What was trained"),
    field<&ProductionPrediction::accelerator>("accelerator", "On what"),
    field<&ProductionPrediction::gpus>("gpus", "How many; a power of two where nobody says")
        .at_least(1),
    field<&ProductionPrediction::from_memory>("from_memory",
                                              "Whether its facts were entered from memory"),
    field<&ProductionPrediction::measured>("measured", "Accelerator hours per trillion tokens")
        .at_least(0),
    field<&ProductionPrediction::steady>("steady", "The same by the steady step").at_least(0),
    field<&ProductionPrediction::with_failures>(
        "with_failures", "With failures, restarts and checkpoints as often as people write them")
        .at_least(0),
    field<&ProductionPrediction::with_names>(
        "with_names", "And with evaluations, slow nodes, warm-up and steps taken again")
        .at_least(0),
    field<goodput_of>("goodput", "What failures, restarts and checkpoints leave of the paid time")
        .at_least(0)
        .at_most(1),
    field<&ProductionPrediction::predicted>("predicted", "And with what else the other runs lost")
        .at_least(0),
    field<&ProductionPrediction::low>("low", "Low end of the interval").at_least(0),
    field<&ProductionPrediction::high>("high", "High end of the interval").at_least(0));

template <>
constexpr auto kFields<WholeRuns> = fields<WholeRuns>(
    field<WholeRuns>(
        "rows", [](const WholeRuns& r) { return r.answer.rows; }, "Runs of the table"),
    field<WholeRuns>(
        "skipped", [](const WholeRuns& r) { return r.answer.skipped; },
        "Those that were not predicted, and why"),
    field<WholeRuns>(
        "steady_abs_error_pct", [](const WholeRuns& r) { return r.answer.steady_error; },
        "Absolute errors of the steady step as the price of a run"),
    field<WholeRuns>(
        "abs_error_pct", [](const WholeRuns& r) { return r.answer.abs_error; },
        "Absolute errors of the run, each left out of the factor that it gets"),
    field<WholeRuns>(
        "interval_coverage_pct", [](const WholeRuns& r) { return r.answer.interval_coverage; },
        "Runs within their interval, likewise")
        .in("%")
        .at_least(0)
        .at_most(100),
    field<WholeRuns>(
        "other_losses", [](const WholeRuns& r) { return r.answer.other_losses; },
        "Hours over those with all named losses, middle of all runs")
        .at_least(0),
    field<WholeRuns>(
        "other_losses_low", [](const WholeRuns& r) { return r.answer.other_low; },
        "Nine of ten runs lie above")
        .at_least(0),
    field<WholeRuns>(
        "other_losses_high", [](const WholeRuns& r) { return r.answer.other_high; },
        "Nine of ten runs lie below")
        .at_least(0),
    field<WholeRuns>(
        "predictions", [](const WholeRuns& r) { return r.answer.predictions; }, "Runs one by one"),
    known_field<seconds_of>("seconds", "CPU time; left out by --reproducible")
        .in("seconds")
        .at_least(0));

Value production_file_schema() {
  return schema_of(Type<RunsFile>());
}
Value production_schema() {
  return schema_of(Type<WholeRuns>());
}

std::string production_json(const ProductionValidation& answer, const ValidationFrame& frame) {
  return print_json(envelope("validate", to_value(RunsFile{frame.file}),
                             to_value(WholeRuns{answer, frame}), frame.notices, {}));
}

std::string production_csv(const ProductionValidation& answer) {
  const ValidationFrame frame;
  return csv_list(production_schema(), to_value(WholeRuns{answer, frame}), "predictions");
}

std::string production_text(const ProductionValidation& answer) {
  const auto memory = std::count_if(answer.predictions.begin(), answer.predictions.end(),
                                    [](const auto& run) { return run.from_memory; });
  std::string out = fmt::format(
      "Whole pre-training runs: {} of {} predicted, accelerator hours per trillion\n"
      "tokens. {} of them entered from memory: scored apart, no part of any fit.\n\n",
      answer.predictions.size(), answer.rows, memory);
  out += fmt::format("{:<18}{:<15}{:>7}{:>11}{:>11}{:>11}{:>7}\n", "model", "accelerator", "gpus",
                     "paid", "steady", "run", "ratio");
  for (const auto& run : answer.predictions) out += row_text(run);
  out += fmt::format("\nsteady step as the price: absolute error {}\n",
                     figures_text(answer.steady_error));
  out += fmt::format("run, each left out:       absolute error {}; {:.1f} % covered\n",
                     figures_text(answer.abs_error), answer.interval_coverage);
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  out += fmt::format(
      "Failures, restarts and checkpoints (the best interval between 15 and 100 min) are\n"
      "counted run by run;\n"
      "evaluations take {}, slow nodes {}, steps taken again {} of what they\n"
      "leave, and warm-up {:.3g} h of a run. What else runs lose, and the error of the\n"
      "step, is not explained: a factor of {:.2f} (middle of all runs; nine of ten within\n"
      "{:.2f} to {:.2f}).\n",
      percent(answer.named.evaluation), percent(answer.named.slow_nodes),
      percent(answer.named.thrown_away), answer.named.warm_up.base() / 3600, answer.other_losses,
      answer.other_low, answer.other_high);
  for (const auto& row : answer.skipped)
    out += fmt::format("skipped: {}: {}\n", row.id, row.reason);
  return out;
}

}  // namespace loadfactor::report
