#include "engine/explain/diff.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {
namespace {

const PlanAssumption* find_input(const std::vector<PlanAssumption>& all, const std::string& what) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const PlanAssumption& each) { return each.what == what; });
  return found == all.end() ? nullptr : &*found;
}

InputChange change_of(const PlanAssumption& any, Change change, std::string before,
                      std::string after) {
  return {change,
          any.what,
          std::move(before),
          std::move(after),
          any.basis == "given",
          any.basis == "assumed"};
}

// Values that differ; a fact that only one answer used is not a change of the world.
std::vector<InputChange> input_changes(const PlanAnswer& before, const PlanAnswer& after) {
  std::vector<InputChange> changes;
  for (const auto& old : before.assumptions) {
    const PlanAssumption* now = find_input(after.assumptions, old.what);
    if (now == nullptr) {
      if (old.basis == "given") changes.push_back(change_of(old, Change::kRemoved, old.value, {}));
    } else if (now->value != old.value) {
      changes.push_back(change_of(*now, Change::kChanged, old.value, now->value));
    }
  }
  for (const auto& now : after.assumptions)
    if (now.basis == "given" && find_input(before.assumptions, now.what) == nullptr)
      changes.push_back(change_of(now, Change::kAdded, {}, now.value));
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.is_given && !b.is_given; });
  return changes;
}

std::vector<FigureChange> figure_changes(const PlanAnswer& a, const PlanAnswer& b) {
  const auto both = [&](const char* name, const char* key, PlanFigure figure) {
    return FigureChange{name, key, figure_of(a, figure), figure_of(b, figure)};
  };
  std::vector<FigureChange> figures{
      both(b.is_training ? "cost of the run" : "cost a month", "cost", PlanFigure::kCost),
      both("cost of a million tokens", "per_mtoken", PlanFigure::kPerMtoken),
      both(b.is_training ? "goodput" : "load factor", "load_factor", PlanFigure::kLoadFactor),
      both("break-even", "break_even", PlanFigure::kBreakEven),
      both("GPUs to have", "gpus", PlanFigure::kGpus),
      both("days", "duration", PlanFigure::kDays)};
  std::erase_if(figures, [](const FigureChange& each) { return !each.before && !each.after; });
  return figures;
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
  if (before > 0) text += fmt::format(", {:+.1f} %", 100 * change / before);
  return text + ")";
}

std::string sentence_of(const DiffAnswer& answer) {
  std::string text;
  const auto& cost = answer.figures.front();
  if (cost.key == "cost" && cost.before && cost.after)
    text = money_words(cost, answer.after.is_training);
  else
    text = "One of the two has no cost";
  const bool same = answer.before.decision == answer.after.decision;
  text += same ? fmt::format("; the verdict stays: {}.", words_of(answer.after.decision))
               : fmt::format("; the verdict changes from {} to {}.",
                             words_of(answer.before.decision), words_of(answer.after.decision));
  if (answer.inputs.empty()) text += " No input differs.";
  return text;
}

}  // namespace

std::string_view words_of(Change change) {
  switch (change) {
    case Change::kAdded:
      return "added";
    case Change::kRemoved:
      return "removed";
    case Change::kChanged:
      break;
  }
  return "changed";
}

DiffAnswer compare_plans(PlanAnswer before, PlanAnswer after) {
  DiffAnswer answer;
  answer.name = after.scenario.empty() ? before.scenario : after.scenario;
  answer.inputs = input_changes(before, after);
  answer.figures = figure_changes(before, after);
  if (answer.figures.empty()) answer.figures.push_back({"cost", "cost", {}, {}});
  answer.before = std::move(before);
  answer.after = std::move(after);
  answer.sentence = sentence_of(answer);
  return answer;
}

}  // namespace loadfactor::engine
