// A run for which nothing is within deadline, budget and power: what comes nearest, and why.
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "engine/plan/plan_run.h"
#include "engine/plan/plan_sizes.h"

namespace loadfactor::engine {
namespace {

using Found = loadfactor::SearchAnswer;

SearchRequest lifted(SearchRequest request, std::initializer_list<config::Edit> edits) {
  request.train.scenario = request.train.scenario.with(edits);
  return request;
}

std::optional<Found> search(const Engine& engine, const SearchRequest& request) {
  Diagnostics unread;
  auto found = engine.search(request, unread);
  return found && !found->plans.empty() ? std::move(found) : std::nullopt;
}

// Without regard to the deadline, on all GPUs.
SearchRequest soonest(SearchRequest request) {
  request.objective = Objective::kTime;
  if (request.gpus.size() > 1) request.gpus.resize(1);
  return request;
}

std::string took(const Found& found) {
  const auto& train = found.plans[0].train;
  return train.duration ? days_text(train.duration->value()) : std::string("longer");
}

std::string cost_words(const Found& found) {
  const auto& train = found.plans[0].train;
  return train.cost ? dollars_text(train.cost->value()) : std::string("more");
}

std::optional<NearestRun> without_budget(const Engine& engine, const SearchRequest& request,
                                         const config::Scenario& scenario) {
  const auto& budget = scenario.limits.budget;
  if (!budget) return std::nullopt;
  auto found = search(engine, lifted(request, {{"limits.budget"}}));
  if (!found) return std::nullopt;
  std::string why = fmt::format("the cheapest run{} costs {} at the rent, and the budget is {}",
                                scenario.train->deadline ? " that meets the deadline" : "",
                                cost_words(*found), dollars_text(budget->value));
  if (scenario.train->deadline)
    if (const auto later = search(engine, soonest(request)))
      why += fmt::format("; within it the soonest takes {}", took(*later));
  return NearestRun{*std::move(found), std::move(why), true};
}

}  // namespace

std::optional<NearestRun> nearest_run(const Engine& engine, const SearchRequest& request,
                                      const config::Scenario& scenario) {
  if (auto near = without_budget(engine, request, scenario)) return near;
  const auto& deadline = scenario.train->deadline;
  const std::string by = deadline ? days_text(deadline->value) : std::string();
  if (auto found = search(engine, soonest(request)); deadline && found)
    return NearestRun{
        *found, fmt::format("the soonest run takes {}, and the deadline is {}", took(*found), by)};
  const auto& budget = scenario.limits.budget;
  if (auto found = search(engine, soonest(lifted(request, {{"limits.budget"}})));
      deadline && budget && found)
    return NearestRun{
        *found, fmt::format("the soonest run takes {} and costs {} at the rent; the deadline "
                            "is {}, the budget {}",
                            took(*found), cost_words(*found), by, dollars_text(budget->value))};
  const auto& limits = scenario.limits;
  if (!limits.site_power && !limits.rack_power) return std::nullopt;
  auto found = search(
      engine,
      soonest(lifted(request, {{"limits.budget"}, {"limits.site_power"}, {"limits.rack_power"}})));
  if (!found) return std::nullopt;
  return NearestRun{*std::move(found), "every candidate draws more power than the limits allow"};
}

}  // namespace loadfactor::engine
