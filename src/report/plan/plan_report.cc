#include "report/plan/plan_report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "engine/plan/plan_figures.h"
#include "report/cost/cost_tables.h"
#include "report/describe/notice_register.h"
#include "report/plan/plan_words.h"
#include "report/plan/region_words.h"
#include "report/plan/years_words.h"
#include "report/train/whole_run_words.h"

namespace loadfactor::report {
namespace {

using engine::PlanAnswer;

std::string wrapped(const std::string& text, int width, const std::string& first = "",
                    const std::string& rest = "") {
  std::string out;
  bool is_first = true;
  for (const auto& line : wrap(text, width - static_cast<int>(rest.size()))) {
    out += (is_first ? first : rest) + line + "\n";
    is_first = false;
  }
  return out;
}

std::string interval(const EstimateOf<double>& figure) {
  return fmt::format("{} [{}, {}]", load_text(figure.value()), load_text(figure.low()),
                     load_text(figure.high()));
}

std::vector<std::string> pair_lines(const PlanAnswer& answer) {
  std::vector<std::string> lines;
  if (answer.load_factor)
    lines.push_back(fmt::format("{:<12}{}", answer.is_training ? "Useful time" : "Load factor",
                                interval(*answer.load_factor)));
  if (answer.break_even)
    lines.push_back(fmt::format("{:<12}{} against {}", "Break-even", interval(*answer.break_even),
                                words_of(*answer.against)));
  return lines;
}

std::string node_words(const engine::PlanMachine& machine) {
  if (machine.nodes == 0) return fmt::format("part of a server of {}", machine.gpus_per_node);
  return fmt::format("{} {} of {}", machine.nodes, machine.nodes == 1 ? "node" : "nodes",
                     machine.gpus_per_node);
}

std::vector<std::pair<std::string, std::string>> machine_rows(const PlanAnswer& answer) {
  const auto& machine = *answer.machine;
  std::vector<std::pair<std::string, std::string>> rows{
      {"hardware",
       fmt::format("{} × {} ({})", machine.layout.gpus, machine.title, node_words(machine))},
      {"layout", layout_words(answer) + ", " + machine.precision}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) rows.emplace_back(name, text);
  };
  add("procurement", option_words(machine));
  add("cooling", cooling_words(machine));
  add("network", network_words(machine));
  add("training", run_beside_words(answer));
  return rows;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> plan_rows(const PlanAnswer& answer) {
  return answer.machine ? machine_rows(answer) : std::vector<std::pair<std::string, std::string>>();
}

namespace {

Table machine_table(const PlanAnswer& answer) {
  Table table(
      {{.name = uses_api(answer) ? "if you had GPUs" : "the plan"}, {.name = "", .wraps = true}});
  for (const auto& [name, text] : machine_rows(answer)) table.add_row({name, text});
  return table;
}

Table options_table(const PlanAnswer& answer) {
  const char* per = answer.is_training && answer.training && answer.training->tokens
                        ? "$ for the run"
                        : "$/month";
  Table table({{.name = "option", .wraps = true, .min_width = 20},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "load", .align = Align::kRight},
               {.name = "break-even", .align = Align::kRight},
               {.name = per, .align = Align::kRight},
               {.name = "$/M tok", .align = Align::kRight, .essential = false},
               {.name = "why not", .wraps = true}});
  for (const auto& option : answer.options) {
    const auto& cost = option.cost;
    const auto load = [](const std::optional<EstimateOf<double>>& figure) {
      return figure ? Cell(load_text(figure->value())) : Cell("–");
    };
    table.add_row(
        {words_of(option.machines()),
         cost.gpus > 0 ? Cell(fmt::format("{:.1f}", cost.gpus)) : Cell("–"), load(cost.load_factor),
         load(cost.break_even), money_text(option.amount, 0),
         cost.per_mtoken ? Cell(fmt::format("{:.3g}", cost.per_mtoken->value().base())) : Cell("–"),
         why_not(option)});
  }
  return table;
}

Table runner_ups_table(const PlanAnswer& answer) {
  Table table({{.name = "not chosen", .wraps = true, .min_width = 20},
               {.name = "$", .align = Align::kRight},
               {.name = "why not", .wraps = true, .min_width = 20}});
  for (const auto& other : answer.runner_ups) {
    const RunnerUpWords words = runner_up_words(other, answer);
    table.add_row({words.name, other.cost > Dollars() ? Cell(money_text(other.cost, 0)) : Cell("–"),
                   words.why});
  }
  return table;
}

Table levers_table(const PlanAnswer& answer) {
  Table table({{.name = "what would change it", .wraps = true, .min_width = 20},
               {.name = "then", .wraps = true, .min_width = 20}});
  for (const auto& lever : answer.levers) {
    const LeverWords words = lever_words(lever);
    table.add_row({words.name, words.effect});
  }
  return table;
}

Table losses_table(const PlanAnswer& answer) {
  Table table({{.name = "where the empty share goes"}, {.name = "points", .align = Align::kRight}});
  for (const auto& loss : answer.losses)
    table.add_row({loss.name, fmt::format("{:.1f}", std::max(0.0, 100 * loss.share))});
  return table;
}

Table facts_table(const PlanAnswer& answer) {
  Table table({{.name = "what", .wraps = true, .min_width = 20},
               {.name = "basis"},
               {.name = "source", .wraps = true},
               {.name = "date"}});
  for (const auto& fact : answer.facts)
    table.add_row({fact.what, fact.kind, fact.source, fact.date});
  return table;
}

// What a promise adds, and what years come to.
std::vector<std::string> further_sentences(const PlanAnswer& answer) {
  std::vector<std::string> sentences;
  if (answer.is_training && answer.training && answer.training->whole)
    sentences.push_back(whole_run_words(*answer.training->whole) + ".");
  if (answer.promise) sentences.push_back(promise_words(*answer.promise));
  if (answer.regions) sentences.push_back(regions_words(*answer.regions));
  if (answer.years)
    for (std::string& sentence : years_sentences(*answer.years))
      sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<Table> tables(const PlanAnswer& answer, bool explain) {
  std::vector<Table> all;
  if (answer.machine) all.push_back(machine_table(answer));
  if (!answer.options.empty()) all.push_back(options_table(answer));
  if (answer.regions) all.push_back(regions_table(*answer.regions));
  if (answer.years) all.push_back(books_table(*answer.years));
  if (answer.years) all.push_back(long_plans_table(*answer.years));
  if (answer.regions && has_years(*answer.regions))
    all.push_back(region_years_table(*answer.regions));
  if (!answer.losses.empty()) all.push_back(losses_table(answer));
  if (!answer.runner_ups.empty()) all.push_back(runner_ups_table(answer));
  if (!answer.levers.empty()) all.push_back(levers_table(answer));
  if (explain && !answer.facts.empty()) all.push_back(facts_table(answer));
  return all;
}

}  // namespace

std::string plan_text(const PlanAnswer& answer, const PlanTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = wrapped(plan_verdict(answer), options.width);
  text += wrapped(fmt::format("{} · {}", answer.scenario, plan_title(answer)), options.width);
  if (const std::string because = plan_because(answer); !because.empty())
    text += wrapped(because, options.width);
  text += "\n";
  for (const auto& line : pair_lines(answer)) text += wrapped(line, options.width, "  ", "    ");
  for (const auto& sentence : further_sentences(answer))
    text += "\n" + wrapped(sentence, options.width);
  for (const auto& each : tables(answer, options.explain)) text += "\n" + render_text(each, table);
  if (!answer.notices.empty()) text += "\n";
  for (const auto& notice : answer.notices)
    text += wrapped(text_of(notice), options.width,
                    severity_of(notice) == Severity::kCaution ? "! " : "· ", "  ");
  text += "\nDig deeper:\n";
  for (const auto& command : answer.commands) text += "  " + command + "\n";
  return text;
}

std::string plan_markdown(const PlanAnswer& answer) {
  std::string text = fmt::format("**{}**\n\n{} · {}\n\n", plan_verdict(answer), answer.scenario,
                                 plan_title(answer));
  for (const auto& line : pair_lines(answer)) text += "- " + line + "\n";
  for (const auto& sentence : further_sentences(answer)) text += "- " + sentence + "\n";
  for (const auto& gate : answer.gates)
    text += fmt::format("- gate {}: {}\n", gate.holds ? "holds" : "**fails**",
                        gate_words(gate, answer));
  for (const auto& each : tables(answer, false)) text += "\n" + render_markdown(each);
  text += "\n";
  for (const auto& notice : answer.notices) text += fmt::format("- {}\n", text_of(notice));
  for (const auto& command : answer.commands) text += fmt::format("- `{}`\n", command);
  return text;
}

}  // namespace loadfactor::report
