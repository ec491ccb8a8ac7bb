#include "report/train/scale_report.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/train/reason_words.h"
#include "report/train/scale_words.h"

namespace loadfactor::report {
namespace {

constexpr double kDay = 86400;

std::string lines_of(const std::string& text, int width, const std::string& first = "",
                     const std::string& rest = "") {
  std::string out;
  bool is_first = true;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size()))) {
    out += (is_first ? first : rest) + line + "\n";
    is_first = false;
  }
  return out;
}

std::string percent(double share) {
  return share > 0 ? fmt::format("{:.0f} %", 100.0 * share) : "";
}

Cell share_cell(double share) {
  return percent(share);
}

// `named` where the curves of several accelerators share a table; money at the margin stands there
// too, and else in words below it.
std::vector<Column> columns(bool named) {
  std::vector<Column> out;
  if (named) out.push_back({.name = "accelerator"});
  out.push_back({.name = "GPUs", .align = Align::kRight});
  out.push_back({.name = "tokens/s", .align = Align::kRight});
  out.push_back({.name = "MFU", .align = Align::kRight});
  out.push_back({.name = "strong", .align = Align::kRight});
  out.push_back({.name = "weak", .align = Align::kRight});
  out.push_back({.name = "comm", .align = Align::kRight});
  out.push_back({.name = "days", .align = Align::kRight});
  out.push_back({.name = "cost", .align = Align::kRight});
  if (named) {
    out.push_back({.name = "spare nodes", .align = Align::kRight});
    out.push_back({.name = "paid"});
    out.push_back({.name = "a day worth", .align = Align::kRight});
    out.push_back({.name = "per GPU more", .align = Align::kRight});
  }
  out.push_back({.name = "binds"});
  return out;
}

std::string days_cell(double days) {
  if (days <= 0) return {};
  return days < 1 ? fmt::format("{:.2g}", days) : fmt::format("{:.1f}", days);
}

Cell money_cell(const std::optional<Dollars>& money) {
  return money ? Cell(format_display(any(*money))) : Cell("");
}

int spares_of(const TrainAnswer& train) {
  return train.goodput ? train.goodput->spare_nodes : 0;
}

void add_points(const ScaleCurve& curve, bool named, Table& table) {
  for (const auto& point : curve.points) {
    const auto& train = point.train;
    std::vector<Cell> row;
    if (named) row.emplace_back(curve.accelerator);
    const double rate = train.tokens_per_s.value().base();
    const double days = train.duration ? train.duration->value().base() / kDay : 0.0;
    row.emplace_back(format_count(train.layout.gpus));
    row.emplace_back(format_count(static_cast<long long>(rate + 0.5)));
    row.push_back(share_cell(train.mfu.value()));
    row.push_back(share_cell(point.efficiency));
    row.push_back(share_cell(point.weak_efficiency));
    row.push_back(share_cell(point.communication));
    row.emplace_back(days_cell(days));
    row.push_back(train.cost ? money_cell(train.cost->value()) : Cell(""));
    if (named) {
      const int spares = spares_of(train);
      row.emplace_back(format_count(spares));
      row.emplace_back(std::string(loadfactor::name_of(train.option)));
      row.push_back(money_cell(point.day_break_even));
      row.push_back(money_cell(point.marginal));
    }
    row.emplace_back(std::string(name_of(point.binding)));
    table.add_row(row);
  }
}

std::string next_words(const ScaleOption& option) {
  std::string text = fmt::format("{}: {:+.1f} %", name_of(option.what), 100.0 * option.gain);
  if (option.worth)
    text += fmt::format(", pays up to {:.2f} USD per hour and {}", option.worth->base() * 3600.0,
                        option.what == MachineChange::kTwiceTheGpus ? "added GPU" : "GPU");
  return text + fmt::format(" (without it: {})", reason_words(option.why));
}

// What each size costs and brings over the one before it.
std::vector<std::string> margin_words(const ScaleCurve& curve, const ScaleAnswer& answer) {
  constexpr double kCent = 0.01;
  std::vector<std::string> days;
  std::vector<std::string> free;  // Sizes that are sooner and no dearer.
  std::vector<std::string> gpus;
  for (const auto& point : curve.points) {
    const std::string size = format_count(point.train.layout.gpus);
    if (point.day_break_even && point.day_break_even->base() < kCent) {
      free.push_back(size);
    } else if (point.day_break_even) {
      days.push_back(fmt::format("{} at {}", format_display(any(*point.day_break_even)), size));
    }
    if (point.marginal)
      gpus.push_back(fmt::format("{} at {}", format_display(any(*point.marginal)), size));
  }
  std::vector<std::string> out;
  if (!days.empty())
    out.push_back(
        fmt::format("over the size before it a day sooner costs {} GPUs", fmt::join(days, ", ")));
  if (!free.empty())
    out.push_back(fmt::format("sooner than the size before {} and no dearer: {} GPUs",
                              free.size() == 1 ? "it" : "them", fmt::join(free, ", ")));
  if (!gpus.empty() && answer.day_value)
    out.push_back(fmt::format("with {} for a day sooner, each GPU more brings {} GPUs",
                              format_display(any(*answer.day_value)), fmt::join(gpus, ", ")));
  return out;
}

// Spares are paid for, so that the cost of a size is of more GPUs than it names.
std::string spare_words(const ScaleCurve& curve) {
  std::vector<std::string> words;
  bool single = true;
  for (const auto& point : curve.points) {
    const int spares = spares_of(point.train);
    if (spares == 0) continue;
    words.push_back(
        fmt::format("{} at {}", format_count(spares), format_count(point.train.layout.gpus)));
    single = single && spares == 1;
  }
  if (words.empty()) return {};
  return fmt::format("in the cost, spare node{}: {} GPUs", single && words.size() == 1 ? "" : "s",
                     fmt::join(words, ", "));
}

std::vector<std::string> left_out(const ScaleCurve& curve) {
  std::vector<std::string> out;
  if (!curve.too_small.empty())
    out.push_back(fmt::format("nothing fits on {} GPU{}", fmt::join(curve.too_small, ", "),
                              curve.too_small == std::vector{1} ? "" : "s"));
  for (const auto& left : curve.excluded)
    out.push_back(fmt::format("left out: {}: {}", left.what, words_of(left.why, left.gpus)));
  return out;
}

}  // namespace

std::string scale_text(const ScaleAnswer& answer, const TrainTextOptions& options) {
  std::string text = lines_of(scale_verdict(answer), options.width) + "\n";
  for (const auto& curve : answer.curves) {
    if (curve.points.empty()) continue;
    Table table(columns(false));
    add_points(curve, false, table);
    const std::string payment = payment_words(curve);
    text += lines_of(curve.title + (payment.empty() ? "" : ", priced " + payment), options.width);
    text += render_text(table, {.width = options.width, .colour = options.colour});
    if (const auto words = spare_words(curve); !words.empty())
      text += lines_of(words, options.width, "· ", "  ");
    for (const auto& words : margin_words(curve, answer))
      text += lines_of(words, options.width, "· ", "  ");
    for (const auto& words : left_out(curve)) text += lines_of(words, options.width, "· ", "  ");
  }
  if (!answer.next_dollar.empty())
    text += fmt::format("\nThe next dollar, at {}:\n", answer.next_of);
  for (const auto& option : answer.next_dollar)
    text += lines_of(next_words(option), options.width, "  ", "    ");
  const auto decisions = decision_words(answer);
  if (!decisions.empty()) text += "\nDecisions:\n";
  for (const auto& words : decisions) text += lines_of(words, options.width, "  ", "    ");
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += lines_of(text_of(notice), options.width,
                     severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  return text;
}

std::string scale_markdown(const ScaleAnswer& answer) {
  Table table(columns(true));
  for (const auto& curve : answer.curves) add_points(curve, true, table);
  std::string text = fmt::format("**{}**\n\n{}\n", scale_verdict(answer), render_markdown(table));
  for (const auto& curve : answer.curves)
    for (const auto& words : left_out(curve)) text += fmt::format("- {}\n", words);
  if (!answer.next_dollar.empty())
    text += fmt::format("\n### The next dollar, at {}\n\n", answer.next_of);
  for (const auto& option : answer.next_dollar) text += fmt::format("- {}\n", next_words(option));
  const auto decisions = decision_words(answer);
  if (!decisions.empty()) text += "\n### Decisions\n\n";
  for (const auto& words : decisions) text += fmt::format("- {}\n", words);
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
