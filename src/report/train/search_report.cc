#include "report/train/search_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/describe/notice_register.h"
#include "report/train/method_report.h"
#include "report/train/reason_words.h"
#include "report/train/search_words.h"

namespace loadfactor::report {
namespace {

constexpr std::size_t kShown = 10;

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

std::string layout_words(const TrainLayout& l) {
  std::string text = fmt::format("tp {} pp {}", l.tp, l.pp);
  if (l.vp > 1) text += fmt::format("×{}", l.vp);
  if (l.own_ends) text += fmt::format(" ends {}+{}", l.first_layers, l.last_layers);
  if (l.cp > 1) text += fmt::format(" cp {}", l.cp);
  if (l.ep > 1) text += fmt::format(" ep {}", l.ep);
  if (l.etp > 1) text += fmt::format(" etp {}", l.etp);
  text += fmt::format(" dp {} mb {}", l.dp, l.micro_batch);
  if (l.sharding != "none") text += " " + l.sharding;
  if (l.shard_group > 0) text += fmt::format(" {}", l.shard_group);
  if (!l.schedule.empty() && l.schedule != "interleaved") text += " " + l.schedule;
  if (l.tp > 1 && !l.sequence_parallel) text += " no-sp";
  if (l.recompute != "none") text += ", recompute " + l.recompute;
  if (!l.offload.empty()) text += fmt::format(", offload {}", fmt::join(l.offload, " "));
  if (l.offload_layers > 0) text += fmt::format(" of {} layers", l.offload_layers);
  return text;
}

bool several_machines(const SearchAnswer& answer) {
  return answer.machines > 1;
}

// Whether plans differ in the way to pay that is chosen for them.
bool several_ways(const SearchAnswer& answer) {
  const auto differs = [&answer](const SearchPlan& plan) {
    return plan.train.option != answer.plans[0].train.option;
  };
  return std::any_of(answer.plans.begin(), answer.plans.end(), differs) ||
         std::any_of(answer.front.begin(), answer.front.end(), differs);
}

std::string cost_words(const TrainAnswer& train) {
  if (train.cost) return format_display(any(train.cost->value()));
  if (train.cost_per_token)
    return fmt::format("{:.3g} USD/B", train.cost_per_token->value().base() * 1e9);
  return "";
}

Table plan_table(const std::vector<SearchPlan>& plans, const SearchAnswer& answer, bool front) {
  std::vector<Column> columns{{.name = "#", .align = Align::kRight}};
  if (several_machines(answer)) columns.push_back({.name = "GPUs", .wraps = true});
  columns.push_back({.name = "layout", .wraps = true});
  columns.push_back({.name = "step", .align = Align::kRight});
  if (front) {
    columns.push_back({.name = "days", .align = Align::kRight});
    columns.push_back({.name = "power", .align = Align::kRight});
  } else {
    columns.push_back({.name = "MFU", .align = Align::kRight});
  }
  columns.push_back({.name = "mem", .align = Align::kRight});
  columns.push_back({.name = "cost", .align = Align::kRight});
  if (several_ways(answer)) columns.push_back({.name = "paid", .wraps = true});
  columns.push_back({.name = front ? "best in" : "why, or why not", .wraps = true});
  Table table(columns);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& train = plans[i].train;
    std::vector<Cell> row{fmt::format("{}", i + 1)};
    if (several_machines(answer))
      row.emplace_back(fmt::format("{} {}{}", train.layout.gpus, train.accelerator,
                                   train.precision == "bf16" ? "" : " " + train.precision));
    row.emplace_back(layout_words(train.layout));
    row.emplace_back(format_display(any(train.step_time.value())));
    if (front) {
      const double days = train.duration ? train.duration->value().base() / 86400 : 0.0;
      row.emplace_back(days > 0 ? fmt::format("{:.3g}", days) : "");
      row.emplace_back(format_display(any(plans[i].power)));
    } else {
      row.emplace_back(fmt::format("{:.1f} %", 100 * train.mfu.value()));
    }
    row.emplace_back(fmt::format("{:.0f} %", 100 * plans[i].memory_share));
    row.emplace_back(cost_words(train));
    if (several_ways(answer)) row.emplace_back(std::string(name_of(train.option)));
    row.emplace_back(front ? front_words(plans[i].best_in) : reason_words(plans[i].why));
    table.add_row(row);
  }
  return table;
}

std::vector<SearchPlan> first_of(const std::vector<SearchPlan>& plans) {
  return {plans.begin(),
          plans.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, plans.size()))};
}

std::string counts_line(const SearchAnswer& answer) {
  const bool whole = answer.exhaustive || answer.evaluated == answer.enumerated;
  const std::string reached = answer.machines_searched < answer.machines
                                  ? fmt::format("{} of ", answer.machines_searched)
                                  : std::string();
  return fmt::format("{} legal layouts on {}{} machine{}, {} evaluated in full{}",
                     format_count(answer.enumerated), reached, answer.machines,
                     answer.machines == 1 ? "" : "s", format_count(answer.evaluated),
                     whole ? "" : "; the rest dismissed by bounds that cannot drop the best");
}

}  // namespace

std::string search_text(const SearchAnswer& answer, const TrainTextOptions& options) {
  std::string text = answer.method ? method_text(*answer.method, answer.missed, options) : "";
  text += lines_of(search_verdict(answer), options.width);
  text += lines_of(counts_line(answer), options.width);
  if (!answer.plans.empty() || !answer.excluded.empty()) text += "\n";
  const TextOptions table{.width = options.width, .colour = options.colour};
  if (!answer.plans.empty())
    text += render_text(plan_table(first_of(answer.plans), answer, false), table);
  if (answer.plans.size() > kShown)
    text +=
        lines_of(fmt::format("and {} more (--format json has all)", answer.plans.size() - kShown),
                 options.width);
  if (answer.front.size() > 1)
    text += "\nNothing beats these in days, dollars, GPUs, power and headroom at once:\n" +
            render_text(plan_table(first_of(answer.front), answer, true), table);
  if (answer.front.size() > kShown)
    text +=
        lines_of(fmt::format("and {} more (--format json has all)", answer.front.size() - kShown),
                 options.width);
  for (const auto& machine : answer.excluded)
    text +=
        lines_of(fmt::format("left out: {}: {}", machine.what, words_of(machine.why, machine.gpus)),
                 options.width, "· ", "  ");
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += lines_of(text_of(notice), options.width,
                     severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  if (options.explain && !answer.plans.empty())
    text += "\nThe first plan in full:\n" + train_text(answer.plans[0].train, options);
  return text;
}

std::string search_markdown(const SearchAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{}\n\n", search_verdict(answer), counts_line(answer));
  if (!answer.plans.empty())
    text += render_markdown(plan_table(first_of(answer.plans), answer, false)) + "\n";
  if (answer.front.size() > 1)
    text += render_markdown(plan_table(first_of(answer.front), answer, true)) + "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  return text;
}

}  // namespace loadfactor::report
