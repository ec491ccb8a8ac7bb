#include "report/plan/page/diff_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/figure_text.h"
#include "loadfactor/version.h"
#include "report/page/definitions.h"
#include "report/page/page_html.h"
#include "report/page/page_pieces.h"
#include "report/page/page_words.h"
#include "report/page/way_words.h"
#include "report/plan/plan_words.h"

namespace loadfactor::report {
namespace {

using engine::DiffAnswer;
using engine::PlanAnswer;
using engine::PlanOption;

std::string_view per(const DiffAnswer& answer) {
  return answer.after.is_training ? "for the run" : "a month";
}

// The cheapest option within the limits; nothing where the plan is not feasible.
const PlanOption* best_of(const PlanAnswer& plan) {
  if (plan.decision == engine::PlanDecision::kNotFeasible || plan.options.empty()) return nullptr;
  return &plan.options.front();
}

std::optional<Dollars> change_of(const DiffAnswer& answer) {
  const PlanOption* before = best_of(answer.before);
  const PlanOption* after = best_of(answer.after);
  if (before == nullptr || after == nullptr) return std::nullopt;
  return after->amount - before->amount;
}

std::string decision_of(const DiffAnswer& answer) {
  const auto change = change_of(answer);
  if (!change)
    return best_of(answer.after) == nullptr ? "The second plan is not possible as asked."
                                            : "Only the second plan is possible as asked.";
  const bool same = answer.before.decision == answer.after.decision;
  const std::string then = same ? "the decision stays" : "the decision changes";
  if (std::abs(change->base()) < 0.5)
    return fmt::format("The second plan costs the same; {}.", then);
  const Dollars size = *change < Dollars() ? -*change : *change;
  return fmt::format("The second plan costs {} {} {}; {}.", page_money(size),
                     *change > Dollars() ? "more" : "less", per(answer), then);
}

// How sure one of the two is, and where it changes, as far as that is known of it.
std::string sure_words(std::string_view which, const PlanAnswer& plan) {
  std::vector<std::string> parts;
  const PlanOption* best = best_of(plan);
  if (best != nullptr && best->cost.wins > 0)
    parts.push_back(fmt::format("the cheapest in {:.0f} of 100 futures", 100 * best->cost.wins));
  const auto distance = [](const engine::PlanFlip& flip) {
    return std::abs(std::log(flip.traffic));
  };
  const auto nearest =
      std::min_element(plan.flips.begin(), plan.flips.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest != plan.flips.end())
    parts.push_back(fmt::format(
        "changes at {}{} of its traffic", nearest->is_rough ? "~" : "",
        nearest->traffic > 1 ? page_times(nearest->traffic) : page_percent(nearest->traffic)));
  if (parts.empty()) return {};
  return fmt::format(" {}: {}.", which, fmt::join(parts, ", "));
}

Value side_tile(std::string_view id, std::string_view label, const DiffAnswer& answer,
                const PlanAnswer& plan) {
  const PlanOption* best = best_of(plan);
  if (best == nullptr) return page_tile(id, label, "–", "", "not possible as asked");
  return page_tile(id, label, page_money(best->amount), per(answer), words_of(best->machines()));
}

Value tiles_of(const DiffAnswer& answer) {
  const auto change = change_of(answer);
  Value difference = page_tile("change", "Difference", "–", "", "one of the two has no cost");
  if (change) {
    const double before = best_of(answer.before)->amount.base();
    difference = page_tile(
        "change", "Difference",
        (*change < Dollars() ? "−" : "+") + page_money(*change < Dollars() ? -*change : *change),
        per(answer),
        before > 0 ? fmt::format("{:+.1f}\u00a0% of the first plan", 100 * change->base() / before)
                   : std::string());
  }
  const std::string before(name_of(answer.before.decision));
  const std::string after(name_of(answer.after.decision));
  return Value::Object{
      {"rows",
       Value::List{side_tile("before", "First plan", answer, answer.before),
                   side_tile("after", "Second plan", answer, answer.after), std::move(difference),
                   page_tile("decision-tile", "Decision", before == after ? "stays" : "changes", "",
                             before == after ? after : before + ", then " + after)}}};
}

// What both plans cost by one way to pay.
struct BothWays {
  OptionKind kind;
  const PlanOption* before = nullptr;
  const PlanOption* after = nullptr;
};

std::vector<BothWays> both_ways(const DiffAnswer& answer) {
  std::vector<BothWays> ways;
  const auto row = [&](OptionKind kind) -> BothWays& {
    for (auto& way : ways)
      if (way.kind == kind) return way;
    return ways.emplace_back(BothWays{kind});
  };
  for (const auto& option : answer.after.options)
    if (auto& way = row(option.cost.kind); way.after == nullptr) way.after = &option;
  for (const auto& option : answer.before.options)
    if (auto& way = row(option.cost.kind); way.before == nullptr) way.before = &option;
  return ways;
}

std::string option_cell(const PlanOption* option) {
  return option == nullptr
             ? std::string("–")
             : fmt::format("{} ({})", page_money(option->amount), words_of(option->machines()));
}

Table ways_table(const DiffAnswer& answer) {
  Table table({{.name = "way to pay"}, {.name = "first plan"}, {.name = "second plan"}});
  for (const auto& way : both_ways(answer))
    table.add_row({std::string(words_of(way.kind, answer.after.is_training).name),
                   option_cell(way.before), option_cell(way.after)});
  return table;
}

Value side(std::string title, std::string sub, std::string_view csv, const Table& table) {
  return Value::Object{
      {"title", std::move(title)}, {"sub", std::move(sub)}, {"table", page_table_of(csv, table)}};
}

Value sides_of(const DiffAnswer& answer) {
  Value::List tables;
  tables.push_back(side("Figures side by side", "", "figures", diff_figures(answer)));
  if (!answer.inputs.empty())
    tables.push_back(side("What differs between them",
                          "~ changed, + added, - removed, * without a document behind it.",
                          "inputs", diff_inputs(answer)));
  if (const Table ways = ways_table(answer); !ways.rows().empty())
    tables.push_back(side("Ways to pay side by side",
                          fmt::format("The cheapest machines of each way, $ {}.", per(answer)),
                          "ways-to-pay", ways));
  return Value::Object{{"tables", std::move(tables)}};
}

Value verdicts_of(const DiffAnswer& answer) {
  return Value::Object{
      {"title", "What each plan says"},
      {"rows",
       Value::List{Value::Object{{"strong", "First:"}, {"text", before_words(answer)}},
                   Value::Object{{"strong", "Second:"}, {"text", plan_verdict(answer.after)}}}}};
}

}  // namespace

Value diff_page_data(const DiffAnswer& answer, const DiffFiles& files) {
  const std::string decision = decision_of(answer);
  Value::Object page{
      {"contract", kPageContract},
      {"kind", "diff"},
      {"title", fmt::format("{}: {}", answer.name, decision)},
      {"loadfactor", LOADFACTOR_VERSION},
      {"top",
       Value::Object{{"name", answer.name},
                     {"what", fmt::format("{} beside {}", files.before, files.after)},
                     {"dates", answer.after.cost ? page_date(answer.after.cost->today) : ""}}},
      {"decision", decision},
      {"lead", Value::List{lead_run("", diff_sentence(answer) + sure_words("First", answer.before) +
                                            sure_words("Second", answer.after))}},
      {"first", false},
      {"pairs", false},
      {"tiles", tiles_of(answer)},
      {"sides", sides_of(answer)}};
  for (const char* absent : {"needles", "ways", "own", "sliders", "levers", "chart", "sizes",
                             "week", "full", "limits", "ways_out", "engineering", "rests"})
    page.push_back({absent, Value()});
  page.push_back({"before", verdicts_of(answer)});
  page.push_back(
      {"again",
       Value::Object{{"title", "How to get this again"},
                     {"sub", ""},
                     {"commands", Value::List{Value::Object{
                                      {"text", fmt::format("loadfactor diff {} {} -o diff.html",
                                                           files.before, files.after)}}}},
                     {"set", Value::List{}},
                     {"file", files.after},
                     {"note", fmt::format("loadfactor {}. Every table above can be saved as CSV.",
                                          LOADFACTOR_VERSION)}}});
  page.push_back({"foot", "A month is 730 hours."});
  page.push_back({"words", money_definitions()});
  return page;
}

std::string diff_page(const DiffAnswer& answer, const DiffFiles& files) {
  return page_html(diff_page_data(answer, files));
}

}  // namespace loadfactor::report
