#include "report/calibrate/validation_report.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/wrap.h"
#include "report/describe/notice_register.h"

namespace loadfactor::report {

namespace {

using validation::ErrorFigures;
using validation::GroupFigures;
using validation::SkippedRow;
using validation::TrainingValidation;

constexpr int kWidth = 80;

// Dashes where nothing was predicted.
std::string three(const ErrorFigures& f) {
  if (f.median == 0 && f.mean == 0) return fmt::format("{:>5} {:>5} {:>5}", "-", "-", "-");
  return fmt::format("{:5.1f} {:5.1f} {:5.1f}", f.median, f.mean, f.p90);
}

std::string rows(std::size_t count) {
  return count == 1 ? "1 row" : fmt::format("{} rows", count);
}

std::string line(const std::string& what, int count, const ErrorFigures& ours,
                 const ErrorFigures& baseline, double coverage) {
  return fmt::format("{:<25}{:>6}  {}   {}   {:5.1f}\n", what, count, three(ours), three(baseline),
                     coverage);
}

std::string summary_line(const std::string& what, const TrainingValidation& v) {
  return line(what, v.scored, v.abs_error, v.baseline_abs_error, v.interval_coverage);
}

// The end of a long name tells more than its beginning.
std::string end_of_name(const std::string& name) {
  constexpr std::size_t kMaxWidth = 24;
  if (name.size() <= kMaxWidth) return name;
  std::size_t start = name.size() - (kMaxWidth - 1);
  while (start < name.size() && (static_cast<unsigned char>(name[start]) & 0xC0U) == 0x80U) ++start;
  return "…" + name.substr(start);
}

std::string group_line(const GroupFigures& g) {
  const std::string name = end_of_name(g.name);
  // A name that was cut has one sign of three bytes.
  const std::string pad = name.size() > 24 ? "" : std::string(25 - name.size(), ' ');
  return fmt::format("{}{}{:>6}  {}   {}   {:5.1f}\n", name, pad.empty() ? " " : pad, g.rows,
                     three(g.ours), three(g.baseline), g.coverage);
}

std::string wrapped(const std::string& text, const std::string& first, const std::string& rest) {
  std::string out;
  for (const auto& part : wrap(text, kWidth - static_cast<int>(rest.size())))
    out += (out.empty() ? first : rest) + part + "\n";
  return out;
}

// Reasons of one kind together, with a few rows each.
std::string skipped_text(const std::vector<SkippedRow>& skipped) {
  if (skipped.empty()) return {};
  constexpr std::size_t kShown = 3;
  std::map<std::string, std::vector<const SkippedRow*>> kinds;
  for (const auto& row : skipped) kinds[row.kind].push_back(&row);
  std::string out = fmt::format("\n{} skipped\n", rows(skipped.size()));
  for (const auto& [kind, members] : kinds) {
    out += fmt::format("  {:>4}  {}\n", members.size(), kind);
    for (std::size_t i = 0; i < std::min(kShown, members.size()); ++i)
      out += wrapped(fmt::format("{}: {}", members[i]->id, members[i]->reason), "        ",
                     "          ");
    if (members.size() > kShown)
      out += fmt::format("        … and {} more\n", members.size() - kShown);
  }
  return out;
}

std::string memory_text(const validation::MemoryValidation& memory) {
  if (memory.predictions.empty()) return {};
  return fmt::format(
      "\nMemory of the fullest GPU, {}: absolute error median {:.1f} %, mean {:.1f} %,\n"
      "p90 {:.1f} %; {:.1f} % within the interval.\n",
      rows(memory.predictions.size()), memory.abs_error.median, memory.abs_error.mean,
      memory.abs_error.p90, memory.interval_coverage);
}

// How sharp the intervals are by class, out of source.
std::string intervals_text(const TrainingValidation& by_source) {
  std::string out;
  for (const GroupFigures& g : by_source.groups) {
    if (g.by != "class") continue;
    out += fmt::format("  {:<24}{:>6}{:>12.1f}{:>14}\n", g.name, g.rows, g.coverage,
                       fmt::format("e^{:.2f}", g.half_width));
  }
  if (out.empty()) return out;
  return fmt::format("\n{:<26}{:>6}{:>12}{:>14}\n", "intervals, source not seen", "rows",
                     "covered %", "half-width") +
         out;
}

// Groups of one kind, none of whose runs were fitted to.
std::string unseen_text(const TrainingValidation& of, std::string_view by,
                        std::string_view heading) {
  std::string out;
  for (const GroupFigures& g : of.groups) {
    if (g.by == by) out += group_line(g);
  }
  return out.empty() ? out : fmt::format("\nby {}, none of its runs seen\n", heading) + out;
}

std::string duel_text(const validation::BaselineDuel& duel) {
  if (duel.sources == 0) return {};
  std::string out = fmt::format(
      "\nSources with {} or more rows, none of them seen by ours or by the baseline: {}.\n"
      "Ours is not worse on {:.1f} % of them by the mean, {:.1f} % by the median.\n",
      validation::kFewestRowsOfSource, duel.sources, duel.not_worse_by_mean(),
      duel.not_worse_by_median());
  for (const auto& lost : duel.lost) {
    const auto against = [](double ours, double baseline) {
      return fmt::format("{:.2f} % against {:.2f} %", ours, baseline);
    };
    std::string how;
    if (lost.by_mean) how = "mean " + against(lost.ours.mean, lost.baseline.mean);
    if (lost.by_median)
      how +=
          (how.empty() ? "" : ", ") + ("median " + against(lost.ours.median, lost.baseline.median));
    out += wrapped(
        fmt::format("{}, {}: {}", lost.name, rows(static_cast<std::size_t>(lost.rows)), how),
        "  worse: ", "    ");
    out += wrapped(lost.reason, "    ", "    ");
  }
  return out;
}

std::string sweeps_text(const validation::SweepSummary& summary) {
  if (summary.sweeps.empty()) return {};
  std::string out = fmt::format(
      "\nLayouts of one model ranked, {} sweep{} of {} or more: Kendall tau median {:.2f},\n"
      "lowest {:.2f}, over pairs that differ by more than {:.0f} %; our pick is {:.1f} % below\n"
      "the best (median), {:.1f} % at worst.\n",
      summary.sweeps.size(), summary.sweeps.size() == 1 ? "" : "s", validation::kFewestLayouts,
      summary.median_tau, summary.lowest_tau, 100.0 * validation::kRateNoise, summary.median_regret,
      summary.worst_regret);
  out += fmt::format("{:>5} {:>6} {:>6} {:>8}  {}\n", "rows", "pairs", "tau", "regret %", "sweep");
  const std::string indent(30, ' ');
  for (const auto& sweep : summary.sweeps) {
    const std::string figures = fmt::format("{:>5} {:>6} {:>6.2f} {:>8.1f}  ", sweep.rows,
                                            sweep.pairs, sweep.tau, sweep.regret);
    out += wrapped(sweep.name, figures, indent);
  }
  return out;
}

std::string notices_text(const std::vector<Notice>& notices) {
  std::string out = notices.empty() ? "" : "\n";
  for (const auto& notice : notices)
    out += wrapped(text_of(notice), severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  return out;
}

std::string even_line(const char* what, int rows, const validation::EvenFigures& figures) {
  return line(what, rows, figures.ours, figures.baseline, figures.coverage);
}

// Dense models and mixtures apart.
std::string class_lines(const TrainingValidation& of) {
  std::string out;
  for (const GroupFigures& g : of.groups) {
    if (g.by == "class") out += line("  " + g.name, g.rows, g.ours, g.baseline, g.coverage);
  }
  return out;
}

std::string summary_table(const TrainingValidation& answer, const ValidationFrame& frame) {
  std::string out =
      fmt::format("{:<25}{:>6}  {:<17}   {:<17}   covered\n{:<25}{:>6}  {:<17}   {:<17}   %\n",
                  "absolute error, %", "rows", "ours", "lookup baseline", "", "",
                  "  med  mean   p90", "  med  mean   p90");
  out += summary_line("these rows", answer);
  if (const auto& w = frame.weighted)
    out += line("weighted", w->rows, w->ours, w->baseline, w->coverage);
  if (const auto& beside = frame.out_of_sample) {
    out += summary_line("configuration not seen", beside->by_fold);
    out += summary_line("source not seen", beside->by_source);
    const TrainingValidation& family = beside->by_family;
    out += summary_line("software not seen", family);
    out += even_line("  each family as one", family.scored, family.families);
    out += class_lines(family);
    out += summary_line("chip not seen", beside->by_chip);
    out += even_line("  each chip as one", beside->by_chip.scored, beside->by_chip.chips);
  }
  return out;
}

std::string step_figures(const char* what, const validation::StepFigures& f) {
  return fmt::format(
      "{}: absolute error median {:.1f} %, mean {:.1f} %, p90 {:.1f} %, worst {:.1f} %.\n", what,
      f.abs_error.median, f.abs_error.mean, f.abs_error.p90, f.worst);
}

}  // namespace

std::string training_validation_text(const TrainingValidation& answer,
                                     const ValidationFrame& frame) {
  std::string out =
      fmt::format("Training: {} of {} published runs scored on tokens per second and GPU.\n\n",
                  answer.scored, answer.rows);
  out += summary_table(answer, frame);
  if (const auto& beside = frame.out_of_sample)
    out += intervals_text(beside->by_source) +
           unseen_text(beside->by_family, "family", "family of software") +
           unseen_text(beside->by_chip, "accelerator", "accelerator") + duel_text(beside->duel);
  out += memory_text(answer.memory) + sweeps_text(answer.sweeps);
  std::string by;
  for (const GroupFigures& g : answer.groups) {
    if (g.by != by) out += fmt::format("\nby {}\n", g.by);
    by = g.by;
    out += group_line(g);
  }
  return out + skipped_text(answer.skipped) + notices_text(frame.notices);
}

std::string training_validation_markdown(const TrainingValidation& answer,
                                         const ValidationFrame& frame) {
  return "```\n" + training_validation_text(answer, frame) + "```\n";
}

std::string step_validation_text(const validation::StepValidation& answer,
                                 const ValidationFrame& frame) {
  std::string out =
      fmt::format("Whole training steps on {}: {} of {} scored, as {}.\n", answer.accelerator,
                  answer.time.predictions.size(), rows(static_cast<std::size_t>(answer.rows)),
                  fmt::join(answer.stacks, ", "));
  out += step_figures("Time", answer.time);
  if (!answer.memory.predictions.empty()) out += step_figures("Memory", answer.memory);
  out += fmt::format("\n{:<10}{:>12}{:>12}{:>9}{:>14}{:>14}{:>9}\n", "row", "measured s",
                     "predicted s", "off %", "measured GB", "predicted GB", "off %");
  std::map<std::size_t, const validation::StepPrediction*> memory;
  for (const auto& row : answer.memory.predictions) memory[row.row] = &row;
  const auto off = [](const auto& row) { return 100.0 * (row.predicted / row.measured - 1.0); };
  for (const auto& row : answer.time.predictions) {
    out += fmt::format("{:<10}{:>12.4f}{:>12.4f}{:>+9.1f}", row.id, row.measured, row.predicted,
                       off(row));
    if (const auto found = memory.find(row.row); found != memory.end())
      out += fmt::format("{:>14.2f}{:>14.2f}{:>+9.1f}", found->second->measured,
                         found->second->predicted, off(*found->second));
    out += "\n";
  }
  return out + skipped_text(answer.skipped) + notices_text(frame.notices);
}

}  // namespace loadfactor::report
