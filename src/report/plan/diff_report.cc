#include "report/plan/diff_report.h"

#include <cmath>

#include <fmt/format.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/table.h"
#include "base/wrap.h"

namespace loadfactor::report {
namespace {

using engine::Change;
using engine::DiffAnswer;
using engine::FigureChange;
using engine::InputChange;

std::string figure_text(const FigureChange& figure, const std::optional<Estimate>& value) {
  if (!value) return "–";
  if (figure.key == "gpus") return format_count(std::llround(value->value));
  if (figure.key == "load_factor" || figure.key == "break_even")
    return fmt::format("{:.1f} %", 100 * value->value);
  if (figure.key == "duration") return fmt::format("{:.3g}", value->value / 86400);
  if (figure.key == "per_mtoken") return fmt::format("${:.3g}", value->value);
  return engine::dollars_text(Dollars::from_base(value->value));
}

// Shares change by points, all else by a share.
std::string change_text(const FigureChange& figure) {
  if (!figure.before || !figure.after) return "–";
  const double before = figure.before->value;
  const double after = figure.after->value;
  constexpr double kShown = 0.0005;  // Less would be shown as no change at all.
  if (std::abs(after - before) < kShown * std::abs(before)) return "same";
  if (before == after) return "same";
  if (figure.key == "load_factor" || figure.key == "break_even")
    return fmt::format("{:+.1f} points", 100 * (after - before));
  if (figure.key == "gpus") return fmt::format("{:+.0f}", after - before);
  return before == 0 ? "–" : fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

char sign_of(Change change) {
  if (change == Change::kAdded) return '+';
  return change == Change::kRemoved ? '-' : '~';
}

Table inputs_table(const DiffAnswer& answer) {
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

Table figures_table(const DiffAnswer& answer) {
  Table table({{.name = "figure"},
               {.name = "before", .align = Align::kRight},
               {.name = "after", .align = Align::kRight},
               {.name = "change", .align = Align::kRight}});
  for (const auto& figure : answer.figures)
    table.add_row({figure.name, figure_text(figure, figure.before),
                   figure_text(figure, figure.after), change_text(figure)});
  return table;
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

std::string diff_text(const DiffAnswer& answer, const DiffTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = wrapped(answer.sentence, options.width) + "\n";
  text += render_text(figures_table(answer), table);
  if (!answer.inputs.empty()) {
    text += "\nKey: ~ changed, + added, - removed, * assumed\n";
    text += render_text(inputs_table(answer), table);
  }
  text += "\n" + wrapped("Before: " + answer.before.verdict, options.width);
  text += wrapped("After:  " + answer.after.verdict, options.width);
  return text;
}

std::string diff_markdown(const DiffAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n", answer.sentence);
  text += render_markdown(figures_table(answer));
  if (!answer.inputs.empty()) text += "\n" + render_markdown(inputs_table(answer));
  return text +
         fmt::format("\nBefore: {}\n\nAfter: {}\n", answer.before.verdict, answer.after.verdict);
}

std::string diff_csv(const DiffAnswer& answer) {
  Table table({{.name = "kind"}, {.name = "name"}, {.name = "before"}, {.name = "after"}});
  for (const auto& input : answer.inputs)
    table.add_row({std::string(words_of(input.change)), input.what, input.before, input.after});
  const auto cell = [](const std::optional<Estimate>& value) {
    return value ? Cell(fmt::format("{}", value->value), value->value) : Cell("");
  };
  for (const auto& figure : answer.figures)
    table.add_row({"figure", figure.key, cell(figure.before), cell(figure.after)});
  return render_csv(table);
}

std::string diff_comment(const DiffAnswer& answer) {
  std::string text = fmt::format("<!-- loadfactor:{} -->\n", tag_of(answer.name));
  text += fmt::format("### {}\n\n", answer.sentence);
  text += render_markdown(figures_table(answer));
  text += fmt::format(
      "\n<details><summary>{} and both verdicts</summary>\n\n",
      answer.inputs.empty()
          ? std::string("No input differs,")
          : fmt::format("{} {},", counted(static_cast<std::int64_t>(answer.inputs.size()), "input"),
                        answer.inputs.size() == 1 ? "differs" : "differ"));
  if (!answer.inputs.empty()) text += render_markdown(inputs_table(answer)) + "\n";
  text += fmt::format("Before: {}\n\nAfter: {}\n\n</details>\n", answer.before.verdict,
                      answer.after.verdict);
  return text;
}

}  // namespace loadfactor::report
