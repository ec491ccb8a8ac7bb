#include "engine/fleet/shared_pool.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/figure_text.h"

namespace loadfactor::engine {
namespace {

// A name that no model before it has: the catalogue's, or its place in the file.
std::string called(const config::ModelSection& section, std::size_t place,
                   std::set<std::string>& taken) {
  const auto* known = std::get_if<config::CatalogModel>(&section.model);
  std::string name = known != nullptr ? known->name.value : fmt::format("model-{}", place + 1);
  for (int copy = 2; !taken.insert(name).second; ++copy)
    name = fmt::format("{}-{}", known != nullptr ? known->name.value : "model", copy);
  return name;
}

// The chips that the pool may be of: the candidates, else what the deployments name, else the
// usual one. One chip under two names is one.
std::vector<config::Name> chips_of(const catalog::Catalog& catalog,
                                   const std::vector<config::Scenario>& models,
                                   Diagnostics& diagnostics) {
  std::vector<config::Name> asked = models.front().hardware;
  for (const config::Scenario& model : models)
    if (const auto& deployment = model.serve->deployment;
        asked.empty() && deployment && deployment->pool.gpu)
      asked.push_back(*deployment->pool.gpu);
  if (asked.empty()) asked.push_back({catalog.lineup().standard, models.front().serve->position});
  std::vector<config::Name> chips;
  for (const config::Name& name : asked) {
    const auto chip = catalog.find_accelerator(name.value);
    if (!chip) {
      diagnostics.add(models.front().error(chip.error().code, name.position, chip.error().message,
                                           chip.error().hint));
      continue;
    }
    const bool is_known = std::any_of(chips.begin(), chips.end(), [&](const config::Name& other) {
      return other.value == (*chip)->name;
    });
    if (!is_known) chips.push_back({(*chip)->name, name.position});
  }
  return chips;
}

config::Fleet fleet_of(const SharedPoolInputs& inputs, const config::Name& chip) {
  const config::Scenario& scenario = inputs.scenario;
  config::Fleet fleet;
  fleet.name = scenario.name;
  fleet.horizon = config::FleetHorizon::kWeek;
  fleet.money = scenario.money;
  fleet.source =
      scenario.source ? scenario.source : std::make_shared<const config::ScenarioSource>();
  fleet.pools.push_back({.name = chip, .accelerator = chip});
  if (scenario.limits.gpus)
    fleet.pools.back().gpus = {{scenario.limits.gpus->value, scenario.limits.gpus->position}};
  std::set<std::string> taken;
  for (std::size_t i = 0; i < inputs.works.size(); ++i) {
    config::FleetWorkload workload;
    workload.scenario = inputs.works[i].scenario;
    workload.position = workload.scenario->serve->position;
    workload.name = {called(workload.scenario->serve->model, i, taken), workload.position};
    fleet.workloads.push_back(std::move(workload));
  }
  return fleet;
}

// What is worse comes later: no room for a model, a promise that is missed, more money.
auto rank_of(const FleetAnswer& answer) {
  int without_room = 0, missed = 0;
  for (const FleetWorkloadAnswer& each : answer.workloads) {
    without_room += each.decision == FleetDecision::kNoRoom ? 1 : 0;
    missed += each.keeps_slo && !*each.keeps_slo ? 1 : 0;
  }
  return std::tuple(without_room, missed, answer.per_month);
}

// What the models cost where each has machines of the chip that suits it best.
void note_best_apart(const std::vector<FleetAnswer>& answers, FleetAnswer& best) {
  Dollars apart;
  std::string choices;
  bool is_elsewhere = false;
  for (std::size_t i = 0; i < best.workloads.size(); ++i) {
    const FleetWorkloadAnswer* least = &best.workloads[i];
    std::string chip = best.pools.front().accelerator;
    if (least->decision == FleetDecision::kNoRoom) return;
    for (const FleetAnswer& other : answers) {
      const FleetWorkloadAnswer& there = other.workloads[i];
      if (there.decision == FleetDecision::kNoRoom || !(there.alone < least->alone)) continue;
      least = &there;
      chip = other.pools.front().accelerator;
    }
    is_elsewhere = is_elsewhere || chip != best.pools.front().accelerator;
    apart += least->alone;
    choices += fmt::format("{}{} {}", choices.empty() ? "" : ", ", least->name, chip);
  }
  if (!is_elsewhere) return;
  const bool is_less = apart < best.per_month;
  best.notices.push_back(
      {.id = "pool-of-one-chip",
       .severity = is_less ? Severity::kCaution : Severity::kNote,
       .arguments = {{"apart", dollars_text(apart)},
                     {is_less ? "less" : "more",
                      dollars_text(is_less ? best.per_month - apart : apart - best.per_month)},
                     {"choices", choices}}});
}

void note_budget(const config::Scenario& scenario, FleetAnswer& answer) {
  const auto& budget = scenario.limits.budget;
  if (!budget || answer.per_month <= budget->value) return;
  answer.notices.push_back({.id = "pool-over-budget",
                            .severity = Severity::kCaution,
                            .arguments = {{"cost", dollars_text(answer.per_month)},
                                          {"budget", dollars_text(budget->value)}}});
}

}  // namespace

std::vector<config::Scenario> models_of(const config::Scenario& scenario) {
  std::vector<config::Scenario> models(1 + scenario.serve->others.size(), scenario);
  for (std::size_t i = 1; i < models.size(); ++i)
    models[i].serve = config::ServeSection(scenario.serve->others[i - 1]);
  models.front().serve->others.clear();
  return models;
}

std::optional<FleetAnswer> plan_shared_pool(const Core& engine, const SharedPoolInputs& inputs,
                                            Diagnostics& diagnostics) {
  std::vector<config::Scenario> models;
  for (const FleetWork& work : inputs.works) models.push_back(*work.scenario);
  const auto chips = chips_of(engine.catalog(), models, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  std::vector<FleetAnswer> answers;
  Diagnostics refusals;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    FleetInputs asked{.fleet = fleet_of(inputs, chips[i]),
                      .works = inputs.works,
                      .are_limits = true,
                      .seed = inputs.seed,
                      .today = inputs.today,
                      .threads = inputs.threads,
                      .stop = inputs.stop};
    if (inputs.progress)
      asked.progress = [&](double share) {
        inputs.progress((static_cast<double>(i) + share) / static_cast<double>(chips.size()));
      };
    Diagnostics found;
    if (auto answer = plan_fleet(engine, asked, found)) answers.push_back(*std::move(answer));
    if (asked.is_stopped()) return std::nullopt;
    if (refusals.empty()) refusals = std::move(found);
  }
  if (answers.empty()) {
    diagnostics.add_all(refusals);
    return std::nullopt;
  }
  FleetAnswer best = *std::min_element(
      answers.begin(), answers.end(),
      [](const FleetAnswer& a, const FleetAnswer& b) { return rank_of(a) < rank_of(b); });
  note_best_apart(answers, best);
  note_budget(inputs.scenario, best);
  return best;
}

}  // namespace loadfactor::engine
