// A run for which nothing is within deadline, budget and power: what comes nearest, and why.
#include <initializer_list>
#include <utility>

#include "engine/plan/plan_run.h"

namespace loadfactor::engine {
namespace {

using Found = loadfactor::SearchAnswer;

SearchInputs lifted(SearchInputs request, std::initializer_list<config::Edit> edits) {
  request.train.scenario = request.train.scenario.with(edits);
  return request;
}

std::optional<Found> search(const Core& engine, const SearchInputs& request) {
  Diagnostics unread;
  auto found = engine.search(request, unread);
  return found && !found->plans.empty() ? std::move(found) : std::nullopt;
}

// Without regard to the deadline, on all GPUs.
SearchInputs soonest(SearchInputs request) {
  request.objective = Objective::kTime;
  if (request.gpus.size() > 1) request.gpus.resize(1);
  return request;
}

RunFigures figures_of(const Found& found) {
  const auto& train = found.plans[0].train;
  RunFigures figures;
  if (train.duration) figures.time = train.duration->value();
  if (train.cost) figures.cost = train.cost->value();
  return figures;
}

std::optional<NearestRun> without_budget(const Core& engine, const SearchInputs& request,
                                         const config::Scenario& scenario) {
  const auto& budget = scenario.limits.budget;
  if (!budget) return std::nullopt;
  auto found = search(engine, lifted(request, {{"limits.budget"}}));
  if (!found) return std::nullopt;
  RunOverBudget broken{.by_deadline = scenario.train->deadline.has_value(),
                       .cheapest = figures_of(*found),
                       .budget = budget->value,
                       .soonest_within = {}};
  if (scenario.train->deadline)
    if (const auto later = search(engine, soonest(request)))
      broken.soonest_within = figures_of(*later);
  return NearestRun{*std::move(found), broken, true};
}

}  // namespace

std::optional<NearestRun> nearest_run(const Core& engine, const SearchInputs& request,
                                      const config::Scenario& scenario) {
  if (auto near = without_budget(engine, request, scenario)) return near;
  const auto& deadline = scenario.train->deadline;
  if (auto found = search(engine, soonest(request)); deadline && found)
    return NearestRun{*found, RunTooLate{figures_of(*found), deadline->value, std::nullopt}};
  const auto& budget = scenario.limits.budget;
  if (auto found = search(engine, soonest(lifted(request, {{"limits.budget"}})));
      deadline && budget && found)
    return NearestRun{*found, RunTooLate{figures_of(*found), deadline->value, budget->value}};
  const auto& limits = scenario.limits;
  if (!limits.site_power && !limits.rack_power) return std::nullopt;
  auto found = search(
      engine,
      soonest(lifted(request, {{"limits.budget"}, {"limits.site_power"}, {"limits.rack_power"}})));
  if (!found) return std::nullopt;
  return NearestRun{*std::move(found), EverythingDrawsTooMuch{}};
}

}  // namespace loadfactor::engine
