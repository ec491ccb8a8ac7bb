#include "engine/explain/diff.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "catalog/catalog.h"
#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {
namespace {

constexpr std::string_view kMachines = "hardware";

// The list that it stands in, whose items are themselves at whatever place: candidate machines,
// ways to pay. Empty for everything else.
std::string_view list_of(const PlanAssumption& input) {
  for (const std::string_view list : {kMachines, std::string_view("money.options")})
    if (input.is_given && input.what.size() > list.size() && input.what.starts_with(list) &&
        input.what[list.size()] == '.')
      return list;
  return {};
}

// Machines have the catalogue's names: `H100` and `h100-sxm` are the same candidate.
std::vector<PlanAssumption> inputs_of(const PlanAnswer& plan, const catalog::Catalog& catalog) {
  std::vector<PlanAssumption> inputs = plan.assumptions;
  for (auto& input : inputs) {
    if (list_of(input) != kMachines) continue;
    if (const auto chip = catalog.find_accelerator(input.value)) input.value = (*chip)->name;
  }
  return inputs;
}

const PlanAssumption* find_input(const std::vector<PlanAssumption>& all,
                                 const PlanAssumption& wanted) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const PlanAssumption& each) {
    const std::string_view list = list_of(wanted);
    return list.empty() ? each.what == wanted.what
                        : list_of(each) == list && each.value == wanted.value;
  });
  return found == all.end() ? nullptr : &*found;
}

InputChange change_of(const PlanAssumption& any, Change change, std::string before,
                      std::string after) {
  return {change,
          list_of(any).empty() ? any.what : std::string(list_of(any)),
          std::move(before),
          std::move(after),
          any.is_given,
          any.is_assumed};
}

// Values that differ; a fact that only one answer used is not a change of the world.
std::vector<InputChange> input_changes(const std::vector<PlanAssumption>& before,
                                       const std::vector<PlanAssumption>& after) {
  std::vector<InputChange> changes;
  for (const auto& old : before) {
    const PlanAssumption* now = find_input(after, old);
    if (now == nullptr) {
      if (old.is_given) changes.push_back(change_of(old, Change::kRemoved, old.value, {}));
    } else if (now->value != old.value) {
      changes.push_back(change_of(*now, Change::kChanged, old.value, now->value));
    }
  }
  for (const auto& now : after)
    if (now.is_given && find_input(before, now) == nullptr)
      changes.push_back(change_of(now, Change::kAdded, {}, now.value));
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.is_given && !b.is_given; });
  return changes;
}

std::vector<FigureChange> figure_changes(const PlanAnswer& a, const PlanAnswer& b) {
  std::vector<FigureChange> figures;
  for (const PlanFigure figure :
       {PlanFigure::kCost, PlanFigure::kPerMtoken, PlanFigure::kLoadFactor, PlanFigure::kBreakEven,
        PlanFigure::kGpus, PlanFigure::kDays})
    figures.push_back({figure, figure_of(a, figure), figure_of(b, figure)});
  std::erase_if(figures, [](const FigureChange& each) { return !each.before && !each.after; });
  return figures;
}

}  // namespace

std::string_view name_of(Change change) {
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

DiffAnswer compare_plans(PlanAnswer before, PlanAnswer after, const catalog::Catalog& catalog) {
  DiffAnswer answer;
  answer.name = after.scenario.empty() ? before.scenario : after.scenario;
  answer.inputs = input_changes(inputs_of(before, catalog), inputs_of(after, catalog));
  answer.figures = figure_changes(before, after);
  if (answer.figures.empty()) answer.figures.push_back({PlanFigure::kCost, {}, {}});
  answer.before = std::move(before);
  answer.after = std::move(after);
  return answer;
}

}  // namespace loadfactor::engine
