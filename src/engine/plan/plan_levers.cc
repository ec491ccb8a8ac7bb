#include "engine/plan/plan_levers.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "engine/fill/sizing.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_edit.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_memory.h"

namespace loadfactor::engine {
namespace {

constexpr double kMore = 1.5;
constexpr double kLess = 0.5;
constexpr double kShown = 0.0005;  // A smaller saving is shown as none.

bool asks_for(const config::Money& money, bool api) {
  return money.options.empty() ||
         std::any_of(money.options.begin(), money.options.end(),
                     [&](const auto& option) { return (option.value == OptionKind::kApi) == api; });
}

// The answer at other traffic: the API, or the machines.
PlanOutcome outcome_of(const TrafficAnswer& then) {
  if (then.decision == PlanDecision::kUseApi)
    return {.decision = then.decision, .gpus = 0, .load_factor = {}, .per_month = then.api};
  if (!then.machines) return {.decision = then.decision, .load_factor = {}, .per_month = {}};
  return {.decision = then.decision,
          .gpus = then.machines->gpus,
          .load_factor = then.load_factor,
          .per_month = then.per_month};
}

// What is done where machines cost so much: the API where it is cheaper.
PlanOutcome outcome_of(const ServingFacts& facts, const PlanAnswer& answer, int gpus,
                       double load_factor, Dollars per_month) {
  const PlanOption* api = cheapest_api(answer);
  if (api != nullptr && api->amount < per_month)
    return {
        .decision = PlanDecision::kUseApi, .gpus = 0, .load_factor = {}, .per_month = api->amount};
  return {.decision = serving_decision(gpus, facts.present, least_gpus(facts.found)),
          .gpus = gpus,
          .load_factor = load_factor,
          .per_month = per_month};
}

// One replica more or fewer of either pool, filled and priced anew.
void add_pool_lever(const Core& engine, const ServingFacts& facts, ReplicaLever::Pool pool,
                    int change, PlanAnswer& answer) {
  DeploymentRow row = facts.row;
  const bool of_prompts = pool == ReplicaLever::Pool::kPrompts;
  int& replicas = of_prompts ? row.prompt_replicas : row.replicas;
  if (replicas + change < 1 + row.spares) return;
  replicas += change;
  row.gpus += change * (of_prompts ? row.prompt_layout : row.layout).gpus();
  Diagnostics unread;
  const auto filled = fill_row(facts.question.serving, row, engine.catalog(), unread);
  if (!filled) return;
  ReplicaLever lever{.change = change,
                     .pool = pool,
                     .gpus = row.gpus,
                     .load_factor = filled->fill.load_factor.value(),
                     .within_slo = {},
                     .priced = price_deployment(engine, facts.question, row)};
  std::optional<PlanOutcome> then;
  if (lever.priced)
    then = outcome_of(facts, answer, lever.gpus, lever.load_factor, lever.priced->per_month);
  answer.levers.push_back({std::move(lever), {}, then});
}

// One replica more or fewer: the same fleet's own curve, priced anew.
void add_replica_levers(const Core& engine, const ServingFacts& facts, PlanAnswer& answer) {
  if (facts.row.prompt_replicas > 0) {
    for (const auto pool : {ReplicaLever::Pool::kPrompts, ReplicaLever::Pool::kAnswers})
      for (const int change : {-1, 1}) add_pool_lever(engine, facts, pool, change, answer);
    return;
  }
  for (const int change : {-1, 1}) {
    const auto point =
        std::find_if(facts.fill.curve.begin(), facts.fill.curve.end(),
                     [&](const FillPoint& p) { return p.units == facts.fill.units + change; });
    if (point == facts.fill.curve.end()) continue;
    DeploymentRow row = facts.row;
    row.replicas = point->replicas;
    row.gpus = point->gpus;
    ReplicaLever lever{.change = change,
                       .pool = ReplicaLever::Pool::kAll,
                       .gpus = point->gpus,
                       .load_factor = point->load_factor,
                       .within_slo = point->within_slo,
                       .priced = price_deployment(engine, facts.question, row)};
    std::optional<PlanOutcome> then;
    if (lever.priced)
      then = outcome_of(facts, answer, lever.gpus, lever.load_factor, lever.priced->per_month);
    answer.levers.push_back({std::move(lever), {}, then});
  }
}

void add_traffic_levers(const ServingFacts& facts, PlanAnswer& answer) {
  for (const double factor : {kMore, kLess}) {
    const TrafficAnswer then = facts.traffic.at(factor);
    answer.levers.push_back(
        {TrafficLever{factor, then}, traffic_edit(facts.question, factor), outcome_of(then)});
  }
}

// What a looser promise, a shorter context or fewer bits save.
void add_relaxed_levers(const ServingFacts& facts, PlanAnswer& answer) {
  const PlanOption* machines = cheapest_machines(answer);
  for (const auto& row : facts.found.relaxed) {
    const bool saves = row.saving > kShown;
    PlanLever lever{RelaxedLever{row, saves}, relaxation_edit(facts.question, row)};
    // What saves nothing leaves the answer as it is.
    if (machines != nullptr && answer.load_factor)
      lever.then = saves ? outcome_of(facts, answer, row.gpus, row.load_factor,
                                      machines->amount * (1 - row.saving))
                         : outcome_of(facts, answer, answer.machine->layout.gpus,
                                      answer.load_factor->value(), machines->amount);
    answer.levers.push_back(std::move(lever));
  }
}

// The deployment that a runner-up is.
const DeploymentRow* deployment_of(const RunnerUpReason& reason) {
  if (const auto* dearer = std::get_if<DearerDeployment>(&reason)) return &dearer->machines;
  if (const auto* other = std::get_if<OtherDeployment>(&reason)) return &other->machines;
  if (const auto* excluded = std::get_if<PowerExcluded>(&reason)) return &excluded->machines;
  return nullptr;
}

void add_chip_levers(const ServingFacts& facts, PlanAnswer& answer) {
  for (const auto& other : answer.runner_ups) {
    if (other.accelerator.empty() || other.accelerator == answer.machine->accelerator) continue;
    const DeploymentRow* machines = deployment_of(other.reason);
    if (machines == nullptr) continue;
    PlanLever lever{OtherChipLever{*machines, other.cost}};
    if (other.load_factor) {
      lever.edit = hardware_edit(other.accelerator);
      lever.then = outcome_of(facts, answer, other.gpus, *other.load_factor, other.cost);
    }
    answer.levers.push_back(std::move(lever));
  }
}

// Rented alone: a mix that owns its base is neither.
bool is_rented(OptionKind kind) {
  return kind == OptionKind::kOnDemand || kind == OptionKind::kReserved1y ||
         kind == OptionKind::kReserved3y || kind == OptionKind::kSpot ||
         kind == OptionKind::kAutoscaled;
}

void add_price_levers(PlanAnswer& answer) {
  const PlanOption* api = cheapest_api(answer);
  const PlanOption* machines = cheapest_machines(answer);
  if (machines == nullptr) return;
  if (api != nullptr)
    answer.levers.push_back({ApiPriceLever{machines->machines(), machines->amount / api->amount}});
  const auto cheapest_of = [&](bool owned) -> const PlanOption* {
    for (const auto& option : answer.options)
      if (option.accelerator == answer.machine->accelerator &&
          (owned ? option.cost.kind == OptionKind::kOwn : is_rented(option.cost.kind)))
        return &option;
    return nullptr;
  };
  const PlanOption* own = cheapest_of(true);
  const PlanOption* rent = cheapest_of(false);
  if (own == nullptr || rent == nullptr) return;
  answer.levers.push_back({OwnOrRentLever{own->amount, rent->cost.kind, rent->amount}});
}

}  // namespace

const PlanOption* cheapest_api(const PlanAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.cost.kind == OptionKind::kApi) return &option;
  return nullptr;
}

const PlanOption* cheapest_machines(const PlanAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.cost.kind != OptionKind::kApi) return &option;
  return nullptr;
}

void add_comparison(const ServingFacts& facts, PlanAnswer& answer) {
  const config::Money& money = facts.question.scenario().money;
  const PlanOption* machines = cheapest_machines(answer);
  if (machines != nullptr) {
    answer.machine->option = machines->machines();
    if (cheapest_api(answer) == nullptr)
      answer.unweighed = asks_for(money, true) ? Unweighed::kApiNotSold : Unweighed::kApiNotAsked;
    return;
  }
  if (cheapest_api(answer) == nullptr) return;
  answer.decision = PlanDecision::kUseApi;
  answer.unweighed =
      asks_for(money, false) ? Unweighed::kMachinesUnpriced : Unweighed::kMachinesNotAsked;
}

void add_serving_levers(const Core& engine, const ServingFacts& facts, PlanAnswer& answer) {
  add_traffic_levers(facts, answer);
  add_replica_levers(engine, facts, answer);
  add_relaxed_levers(facts, answer);
  add_memory_levers(engine, facts, answer);
  add_chip_levers(facts, answer);
  add_price_levers(answer);
}

}  // namespace loadfactor::engine
