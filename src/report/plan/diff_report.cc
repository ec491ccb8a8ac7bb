#include "report/plan/diff_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::Change;
using engine::DiffAnswer;
using engine::FigureChange;
using engine::InputChange;
using engine::PlanFigure;

std::string figure_text(const FigureChange& figure, const std::optional<Estimate>& value) {
  if (!value) return "–";
  switch (figure.figure) {
    case PlanFigure::kGpus:
      return format_count(std::llround(value->value));
    case PlanFigure::kLoadFactor:
    case PlanFigure::kBreakEven:
      return percent_text(value->value);
    case PlanFigure::kDays:
      return three_figures(value->value / 86400);
    case PlanFigure::kPerMtoken:
      return "$" + three_figures(value->value);
    case PlanFigure::kCost:
      break;
  }
  return dollars_text(Dollars::from_base(value->value));
}

// A share of what was, or how many times it, where a share is no longer read.
std::string ratio_text(double before, double after) {
  constexpr double kMostTimes = 10;
  const double times = after / before;
  return times > kMostTimes ? fmt::format("{} times", format_count(std::llround(times)))
                            : fmt::format("{:+.1f} %", 100 * (times - 1));
}

// Shares change by points, all else by a share.
std::string change_text(const FigureChange& figure) {
  if (!figure.before || !figure.after) return "–";
  const double before = figure.before->value;
  const double after = figure.after->value;
  constexpr double kShown = 0.0005;  // Less would be shown as no change at all.
  if (std::abs(after - before) < kShown * std::abs(before)) return "same";
  if (before == after) return "same";
  if (figure.figure == PlanFigure::kLoadFactor || figure.figure == PlanFigure::kBreakEven)
    return fmt::format("{:+.1f} points", 100 * (after - before));
  if (figure.figure == PlanFigure::kGpus) return fmt::format("{:+.0f}", after - before);
  return before == 0 ? "–" : ratio_text(before, after);
}

std::string money_words(const FigureChange& cost, bool is_training) {
  const char* per = is_training ? "for the run" : "a month";
  const double before = cost.before->value;
  const double after = cost.after->value;
  const double change = after - before;
  const auto dollars = [](double amount) { return dollars_text(Dollars::from_base(amount)); };
  if (std::abs(change) < 0.5) return fmt::format("The cost stays at {} {}", dollars(after), per);
  std::string text = fmt::format("{}{} {} ({} → {}", change > 0 ? "+" : "−",
                                 dollars(std::abs(change)), per, dollars(before), dollars(after));
  if (before > 0) text += ", " + ratio_text(before, after);
  return text + ")";
}

char sign_of(Change change) {
  if (change == Change::kAdded) return '+';
  return change == Change::kRemoved ? '-' : '~';
}

// `--max-num-seqs 256`, `micro_batch_size: 2`, or `train_batch_size = 64` of a configuration.
std::string setting_text(const std::string& flag, const std::string& value) {
  if (flag.starts_with("-") || flag.ends_with(":"))
    return value.empty() ? flag : flag + " " + value;
  return fmt::format("{} = {}", flag, value);
}

// Flags that no file said of what runs, and that the advice rests on.
std::string presumed_text(const DiffAnswer& answer) {
  std::string there, gone;
  for (const auto& change : answer.flags) {
    if (!change.is_presumed) continue;
    (change.is ? there : gone) +=
        fmt::format("  {}\n", setting_text(change.flag, change.is ? change.after : change.before));
  }
  std::string text;
  if (!there.empty()) text += "The advice also has these, which nothing read of what runs says:\n";
  text += there;
  if (!gone.empty()) text += "and it is without these, should they run:\n";
  return text + gone;
}

// The flags that change, as a patch; file by file.
std::string flags_text(const DiffAnswer& answer) {
  if (answer.launched_before.empty()) return "";
  const bool same = answer.launched_before == answer.launched_after;
  std::string text =
      same ? fmt::format("Flags of {} that change:", answer.launched_before)
           : fmt::format("Launched by {} today, by {} as advised:", answer.launched_before,
                         answer.launched_after);
  const bool changes = std::any_of(answer.flags.begin(), answer.flags.end(),
                                   [](const auto& each) { return !each.is_presumed; });
  if (!changes) return text + " none\n";
  text += "\n";
  std::string file;
  for (const auto& change : answer.flags) {
    if (change.is_presumed) continue;
    if (change.file != file) text += fmt::format("@@ {} @@\n", change.file);
    file = change.file;
    if (change.was) text += fmt::format("- {}\n", setting_text(change.flag, change.before));
    if (change.is) text += fmt::format("+ {}\n", setting_text(change.flag, change.after));
  }
  return text + presumed_text(answer);
}

std::string wrapped(const std::string& text, int width) {
  std::string out;
  for (const auto& line : wrap(text, width)) out += line + "\n";
  return out;
}

// A name that may stand in a comment of HTML: letters, digits, dashes and dots.
std::string tag_of(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_';
    out += plain ? c : '-';
  }
  while (out.find("--") != std::string::npos) out.replace(out.find("--"), 2, "-");
  return out;
}

}  // namespace

std::string_view figure_title(PlanFigure figure, bool is_training) {
  switch (figure) {
    case PlanFigure::kPerMtoken:
      return "cost of a million tokens";
    case PlanFigure::kLoadFactor:
      return is_training ? "useful time" : "load factor";
    case PlanFigure::kBreakEven:
      return "break-even";
    case PlanFigure::kGpus:
      return "GPUs to have";
    case PlanFigure::kDays:
      return "days";
    case PlanFigure::kCost:
      break;
  }
  return is_training ? "cost of the run" : "cost a month";
}

std::string_view figure_key(PlanFigure figure) {
  switch (figure) {
    case PlanFigure::kPerMtoken:
      return "per_mtoken";
    case PlanFigure::kLoadFactor:
      return "load_factor";
    case PlanFigure::kBreakEven:
      return "break_even";
    case PlanFigure::kGpus:
      return "gpus";
    case PlanFigure::kDays:
      return "duration";
    case PlanFigure::kCost:
      break;
  }
  return "cost";
}

std::string before_words(const DiffAnswer& answer) {
  const engine::PlanAnswer& plan = answer.before;
  if (!answer.before_runs || !plan.machine) return plan_verdict(plan);
  std::string text = plan.options.empty() ? fmt::format("{} × {}", plan.machine->layout.gpus,
                                                        plan.machine->accelerator)
                                          : words_of(plan.options.front().machines());
  text = fmt::format("Runs on {}, {}", text, layout_words(plan));
  if (plan.load_factor) text += fmt::format(": {} full", percent_text(plan.load_factor->value()));
  if (plan.options.empty()) return text + "; nobody sells these machines at a known price.";
  return text + fmt::format(", {} a month.", dollars_text(plan.options.front().amount));
}

Table diff_inputs(const DiffAnswer& answer) {
  Table table({{.name = ""},
               {.name = "input", .wraps = true, .min_width = 20},
               {.name = "before", .wraps = true, .min_width = 12},
               {.name = "after", .wraps = true, .min_width = 12}});
  for (const auto& input : answer.inputs)
    table.add_row({fmt::format("{}{}", sign_of(input.change), input.is_assumed ? "*" : ""),
                   input.what, input.before.empty() ? "–" : input.before,
                   input.after.empty() ? "–" : input.after});
  return table;
}

Table diff_figures(const DiffAnswer& answer) {
  Table table({{.name = "figure"},
               {.name = "before", .align = Align::kRight},
               {.name = "after", .align = Align::kRight},
               {.name = "change", .align = Align::kRight}});
  for (const auto& figure : answer.figures)
    table.add_row({std::string(figure_title(figure.figure, answer.after.is_training)),
                   figure_text(figure, figure.before), figure_text(figure, figure.after),
                   change_text(figure)});
  return table;
}

namespace {

// The GPUs of both, where both have them.
const FigureChange* gpu_change(const DiffAnswer& answer) {
  const auto found =
      std::find_if(answer.figures.begin(), answer.figures.end(), [](const auto& each) {
        return each.figure == PlanFigure::kGpus && each.before && each.after;
      });
  return found == answer.figures.end() ? nullptr : &*found;
}

bool has_layout(const engine::PlanAnswer& plan) {
  return plan.machine && (!plan.is_training || plan.training);
}

// What differs between two plans on as many GPUs: ` as 2 replicas of tp 2, pp 1 instead of 1
// replica of tp 4, pp 1`; empty where nothing does.
std::string differing_words(const DiffAnswer& answer) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& before, const std::string& after) {
    if (before != after) parts.push_back(fmt::format("{} {} instead of {}", what, after, before));
  };
  const auto &before = answer.before, &after = answer.after;
  if (has_layout(before) && has_layout(after)) {
    add("on", before.machine->accelerator, after.machine->accelerator);
    add("as", layout_words(before), layout_words(after));
  }
  if (!before.options.empty() && !after.options.empty())
    add("paid for as", words_of(before.options.front().machines()),
        words_of(after.options.front().machines()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Fewer GPUs than run today are no scaling up, whatever the plan of the advice alone is called; as
// many as run today are kept, and what changes is how.
std::string advice_words(const DiffAnswer& answer) {
  using engine::PlanDecision;
  const FigureChange* gpus = gpu_change(answer);
  const PlanDecision decision = answer.after.decision;
  const bool scales_up = decision == PlanDecision::kScaleUp;
  const bool keeps = scales_up || decision == PlanDecision::kHold;
  if (gpus == nullptr || !keeps) return std::string(name_of(decision));
  if (gpus->after->value < gpus->before->value)
    return std::string(name_of(scales_up ? PlanDecision::kShrink : decision));
  if (gpus->after->value > gpus->before->value) return std::string(name_of(decision));
  const std::string what = differing_words(answer);
  if (!what.empty())
    return fmt::format("keep {}, {}", counted(std::llround(gpus->after->value), "GPU"), what);
  const bool changes = std::any_of(answer.flags.begin(), answer.flags.end(),
                                   [](const auto& each) { return !each.is_presumed; });
  return changes ? "hold, with other flags" : "hold";
}

// The same verdict on as many GPUs may still be another way to run. Where the API does the work, no
// layout is run.
std::string same_verdict_words(const DiffAnswer& answer) {
  const FigureChange* gpus = gpu_change(answer);
  const bool runs = gpus != nullptr && gpus->after->value > 0;
  const bool keeps = runs && gpus->after->value == gpus->before->value;
  const std::string what = keeps ? differing_words(answer) : "";
  const std::string text = fmt::format("; the verdict stays: {}", name_of(answer.after.decision));
  return what.empty() ? text + "." : fmt::format("{}, {}.", text, what);
}

}  // namespace

std::string diff_sentence(const DiffAnswer& answer) {
  const auto& cost = answer.figures.front();
  const bool has_cost = cost.figure == PlanFigure::kCost && cost.before && cost.after;
  std::string text =
      has_cost ? money_words(cost, answer.after.is_training) : "One of the two has no cost";
  const bool same = answer.before.decision == answer.after.decision;
  if (answer.before_runs)
    return text + fmt::format("; the advice on what runs: {}.", advice_words(answer));
  text += same ? same_verdict_words(answer)
               : fmt::format("; the verdict changes from {} to {}.",
                             name_of(answer.before.decision), name_of(answer.after.decision));
  if (answer.inputs.empty()) text += " No input differs.";
  return text;
}

std::string diff_text(const DiffAnswer& answer, const DiffTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = wrapped(diff_sentence(answer), options.width) + "\n";
  text += render_text(diff_figures(answer), table);
  if (!answer.inputs.empty()) {
    text += "\nKey: ~ changed, + added, - removed, * assumed\n";
    text += render_text(diff_inputs(answer), table);
  }
  if (const std::string flags = flags_text(answer); !flags.empty()) text += "\n" + flags;
  text += "\n" + wrapped("Before: " + before_words(answer), options.width);
  text += wrapped("After:  " + plan_verdict(answer.after), options.width);
  return text;
}

std::string diff_markdown(const DiffAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n", diff_sentence(answer));
  text += render_markdown(diff_figures(answer));
  if (!answer.inputs.empty()) text += "\n" + render_markdown(diff_inputs(answer));
  if (const std::string flags = flags_text(answer); !flags.empty())
    text += "\n```diff\n" + flags + "```\n";
  return text + fmt::format("\nBefore: {}\n\nAfter: {}\n", before_words(answer),
                            plan_verdict(answer.after));
}

std::string diff_comment(const DiffAnswer& answer) {
  std::string text = fmt::format("<!-- loadfactor:{} -->\n", tag_of(answer.name));
  text += fmt::format("### {}\n\n", diff_sentence(answer));
  text += render_markdown(diff_figures(answer));
  text += fmt::format(
      "\n<details><summary>{} and both verdicts</summary>\n\n",
      answer.inputs.empty()
          ? std::string("No input differs,")
          : fmt::format("{} {},", counted(static_cast<std::int64_t>(answer.inputs.size()), "input"),
                        answer.inputs.size() == 1 ? "differs" : "differ"));
  if (!answer.inputs.empty()) text += render_markdown(diff_inputs(answer)) + "\n";
  text += fmt::format("Before: {}\n\nAfter: {}\n\n</details>\n", before_words(answer),
                      plan_verdict(answer.after));
  return text;
}

}  // namespace loadfactor::report
