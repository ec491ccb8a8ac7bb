#include "report/calibrate/inference_report.h"

#include <map>

#include <fmt/format.h>

#include "base/plural.h"
#include "base/wrap.h"

namespace loadfactor::report {
namespace {

using validation::ErrorFigures;
using validation::InferenceGroup;

std::string line(const std::string& name, const InferenceGroup& g, bool weighted) {
  const ErrorFigures& ours = weighted ? g.weighted : g.ours;
  const ErrorFigures& base = weighted ? g.weighted_baseline : g.baseline;
  return fmt::format("{:<30.30}{:>6}  {:>6.1f} {:>6.1f}  {:>6.1f} {:>6.1f}  {:>+6.1f} {:>5.0f}\n",
                     name, g.rows, ours.median, ours.p90, base.median, base.p90, g.bias,
                     g.coverage);
}

constexpr int kWidth = 80;

// A paragraph whose lines after the first are set in.
std::string wrapped(const std::string& text) {
  std::string out;
  for (const auto& line : wrap(text, kWidth - 2)) out += (out.empty() ? "" : "  ") + line + "\n";
  return out;
}

// So many of each reason, the first row of each named.
std::string skipped_text(const std::vector<validation::SkippedRow>& skipped) {
  if (skipped.empty()) return {};
  std::vector<std::pair<std::string, int>> reasons;
  std::map<std::string, std::string> first;
  for (const auto& row : skipped) {
    if (first.emplace(row.reason, row.name()).second) reasons.emplace_back(row.reason, 0);
    for (auto& [reason, count] : reasons) count += reason == row.reason;
  }
  constexpr std::size_t kShown = 8;
  std::string out = fmt::format("\n{} skipped\n", counted(static_cast<int>(skipped.size()), "row"));
  for (std::size_t i = 0; i < reasons.size() && i < kShown; ++i)
    out += wrapped(fmt::format("{} × {} ({}{})", reasons[i].second, reasons[i].first,
                               first[reasons[i].first], reasons[i].second > 1 ? " …" : ""));
  if (reasons.size() > kShown)
    out += fmt::format("and {} more reasons (--format json has all)\n", reasons.size() - kShown);
  return out;
}

std::string assumed_text(const std::map<std::string, int>& assumed) {
  std::string out = assumed.empty() ? "" : "\nscored with something taken for them\n";
  for (const auto& [what, rows] : assumed) out += wrapped(fmt::format("{} × {}", rows, what));
  return out;
}

std::string simulated_text(int rows) {
  if (rows == 0) return {};
  return "\n" +
         wrapped(fmt::format("{} rows are simulated, request by request: times of closed loops, "
                             "times of arrivals at 70 % of saturation and more, first tokens of "
                             "bursts. All others are the closed form's.",
                             rows));
}

// Figures that no sample can give: sources left out need the constants fitted again to the rest.
std::string stored_heading(const InferenceReport& report) {
  return report.is_sample
             ? "Stored, not computed here: what `make calibrate ROWS=FILE.csv` wrote down when it "
               "fitted the constants to all published results, once more without each source, "
               "chip and engine. The sample above was drawn from those results."
             : "Stored, not computed here: how the shipped constants did on the results that they "
               "were fitted to.";
}

}  // namespace

std::string inference_validation_text(const InferenceReport& report) {
  const auto& answer = report.answer;
  std::string out = fmt::format(
      "Serving: {} of {} published results{} scored, each on its own metric{}{}.\n\n"
      "{:<30}{:>6}  {:<13}  {}\n{:<30}{:>6}  {:>6} {:>6}  {:>6} {:>6}  {:>6} {:>5}\n",
      answer.scored, answer.rows, report.is_sample ? " that ship" : "",
      report.weighted ? ", weighted" : "",
      answer.skipped.empty()
          ? ""
          : fmt::format("; {} dropped, with the reasons below", answer.skipped.size()),
      "absolute error, %", "", "  ours", "  baseline", "", "rows", "median", "p90", "median", "p90",
      "bias", "cover");
  out += line("all", answer.all, report.weighted);
  std::string by;
  for (const auto& group : answer.groups) {
    if (group.by != by) out += fmt::format("\nby {}\n", group.by);
    by = group.by;
    out += line(
        group.metric.empty() ? group.name : fmt::format("{:<18.18} {}", group.name, group.metric),
        group, report.weighted);
  }
  out += simulated_text(answer.simulated);
  out += skipped_text(answer.skipped) + assumed_text(answer.assumed);
  if (!report.shipped.empty()) out += "\n" + wrapped(stored_heading(report));
  for (const auto& text : report.shipped) out += wrapped(text);
  return out;
}

std::string inference_steps_text(const validation::InferenceStepValidation& answer) {
  std::string out = wrapped(fmt::format(
      "Whole inference steps: {} rows, absolute error median {:.1f} %, p90 {:.1f} %; {:.0f} % "
      "inside their interval.",
      answer.rows, answer.abs_error.median, answer.abs_error.p90, answer.interval_coverage));
  out +=
      fmt::format("\n{:<30}{:>6}  {:<13}  {}\n{:<30}{:>6}  {:>6} {:>6}  {:>6} {:>6}  {:>6} {:>5}\n",
                  "absolute error, %", "", "  ours", "  roofline", "", "rows", "median", "p90",
                  "median", "p90", "bias", "cover");
  for (const auto& group : answer.groups) {
    out += fmt::format("{:<30}{:>6}  {:>6.1f} {:>6.1f}  {:>6.1f} {:>6.1f}  {:>+6.1f} {:>5.0f}\n",
                       group.name, group.rows, group.abs_error.median, group.abs_error.p90,
                       group.baseline.median, group.baseline.p90, group.bias, group.coverage);
  }
  out +=
      "\n" + wrapped("The roofline is scaled by the median efficiency of its phase in these rows.");
  return out + skipped_text(answer.skipped);
}

}  // namespace loadfactor::report
