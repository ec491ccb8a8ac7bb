#include "engine/plan/plan_levers.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "engine/fill/sizing.h"
#include "engine/plan/plan_edit.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_memory.h"
#include "engine/plan/plan_replan.h"

namespace loadfactor::engine {
namespace {

constexpr double kMore = 1.5;
constexpr double kLess = 0.5;
constexpr double kShown = 0.0005;  // A smaller saving is shown as none.

bool asks_for_machines(const config::Money& money) {
  return money.options.empty() ||
         std::any_of(money.options.begin(), money.options.end(),
                     [](const auto& option) { return option.value != OptionKind::kApi; });
}

// One replica more or fewer of either pool, filled and priced anew.
void add_pool_lever(const Core& engine, const ServingFacts& facts, ReplicaLever::Pool pool,
                    int change, PlanAnswer& answer) {
  DeploymentRow row = facts.row;
  const bool of_prompts = pool == ReplicaLever::Pool::kPrefill;
  int& replicas = of_prompts ? row.prompt_replicas : row.replicas;
  if (replicas + change < 1 + row.spares) return;
  replicas += change;
  row.gpus += change * (of_prompts ? row.prompt_layout : row.layout).gpus();
  Diagnostics unread;
  const auto filled = fill_row(facts.question.serving, row, engine.catalog(), unread);
  if (!filled) return;
  answer.levers.push_back({ReplicaLever{.change = change,
                                        .pool = pool,
                                        .gpus = row.gpus,
                                        .load_factor = filled->fill.load_factor.value(),
                                        .within_slo = {},
                                        .priced = price_deployment(engine, facts.question, row)}});
}

// One replica more or fewer: the same fleet's own curve, priced anew.
void add_replica_levers(const Core& engine, const ServingFacts& facts, PlanAnswer& answer) {
  if (facts.row.prompt_replicas > 0) {
    for (const auto pool : {ReplicaLever::Pool::kPrefill, ReplicaLever::Pool::kDecode})
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
    answer.levers.push_back(
        {ReplicaLever{.change = change,
                      .pool = ReplicaLever::Pool::kAll,
                      .gpus = point->gpus,
                      .load_factor = point->load_factor,
                      .within_slo = point->within_slo,
                      .priced = price_deployment(engine, facts.question, row)}});
  }
}

// What a change comes to.
struct Changed {
  ServiceOutcome service;
  PlanOutcome then;
};
std::optional<Changed> planned(const std::optional<PlanAnswer>& plan) {
  if (!plan) return std::nullopt;
  return Changed{service_outcome_of(*plan), outcome_of(*plan)};
}

// Where an API is cheaper by more than the closed form can err, its bill is the answer whatever a
// simulation makes of the machines, and none is made.
constexpr double kByFar = 1.4;
Changed by_api(const EstimateOf<Dollars>& cost, std::string seller) {
  const PlanOutcome then{
      .decision = PlanDecision::kUseApi, .load_factor = {}, .per_month = cost, .cost = cost};
  return {{.decision = PlanDecision::kUseApi, .api = cost.value(), .seller = std::move(seller)},
          then};
}

std::optional<Changed> at_traffic(const ServingFacts& facts, const Replanner& replans,
                                  const config::Edit& edit, double factor,
                                  const PlanAnswer& answer) {
  const ServiceOutcome rough = facts.traffic.at(factor);
  const bool by_far = rough.decision == PlanDecision::kUseApi && rough.machines &&
                      rough.per_month > *rough.api * kByFar;
  const PlanOption* api = cheapest_api(answer);
  if (!by_far || api == nullptr) return planned(replans.at_traffic(edit));
  return by_api(api->estimate(*rough.api / api->amount), {});
}

// With machines that cost so much less than today's by the closed form.
std::optional<Changed> relaxed(const RelaxRow& row, const config::Edit& edit,
                               const Replanner& replans, const PlanAnswer& answer) {
  const PlanOption* machines = cheapest_machines(answer);
  if (uses_api(answer) && machines != nullptr) {
    const auto api = replans.api_alone(edit);
    if (api && machines->amount * (1 - row.saving) > api->amount * kByFar)
      return by_api(api->estimate(), api->cost.name.of);
  }
  return planned(replans.with({edit}));
}

// Another mix or length of requests may be sold by another provider; the same one goes unsaid.
ServiceOutcome without_same_seller(ServiceOutcome then, const PlanAnswer& answer) {
  const PlanOption* today = cheapest_api(answer);
  if (today == nullptr || today->cost.name.of == then.seller) then.seller.clear();
  return then;
}

// Traffic that is half as much again, and half of it.
void add_traffic_levers(const ServingFacts& facts, const Replanner& replans, PlanAnswer& answer) {
  for (const double factor : {kMore, kLess}) {
    const auto edit = traffic_edit(facts.question, factor);
    const auto other = edit ? at_traffic(facts, replans, *edit, factor, answer) : std::nullopt;
    if (other)
      answer.levers.push_back({TrafficLever{factor, without_same_seller(other->service, answer)},
                               {config::to_set_text(*edit)},
                               other->then});
  }
}

// What a looser promise, a shorter context or fewer bits do. Fewer tokens cost less of an API in
// any case; the others are planned where the closed form sees a saving.
void add_relaxed_levers(const ServingFacts& facts, const Replanner& replans, PlanAnswer& answer) {
  for (const auto& row : facts.found.relaxed) {
    const bool changes = row.saving > kShown || row.what == Relaxation::kContext;
    const auto edit = relaxation_edit(facts.question, row);
    const auto changed = changes && edit ? relaxed(row, *edit, replans, answer) : std::nullopt;
    if (changed)
      answer.levers.push_back(
          {RelaxedLever{row.what, without_same_seller(changed->service, answer)},
           {config::to_set_text(*edit)},
           changed->then});
    else if (!changes)
      answer.levers.push_back({RelaxedLever{row.what, std::nullopt}});
  }
}

// The deployment that a runner-up is.
const DeploymentRow* deployment_of(const RunnerUpReason& reason) {
  if (const auto* dearer = std::get_if<DearerDeployment>(&reason)) return &dearer->machines;
  if (const auto* other = std::get_if<OtherDeployment>(&reason)) return &other->machines;
  if (const auto* excluded = std::get_if<PowerExcluded>(&reason)) return &excluded->machines;
  return nullptr;
}

void add_chip_levers(PlanAnswer& answer) {
  for (const auto& other : answer.runner_ups) {
    if (other.accelerator.empty() || other.accelerator == answer.machine->accelerator) continue;
    if (const DeploymentRow* machines = deployment_of(other.reason))
      answer.levers.push_back({OtherChipLever{*machines, other.cost}});
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
      answer.unweighed =
          money.asks_for(OptionKind::kApi) ? Unweighed::kApiNotSold : Unweighed::kApiNotAsked;
    return;
  }
  if (cheapest_api(answer) == nullptr) return;
  answer.decision = PlanDecision::kUseApi;
  answer.unweighed =
      asks_for_machines(money) ? Unweighed::kMachinesUnpriced : Unweighed::kMachinesNotAsked;
}

void add_serving_levers(const Core& engine, const ServingFacts& facts, const Replanner& replans,
                        PlanAnswer& answer) {
  add_traffic_levers(facts, replans, answer);
  add_replica_levers(engine, facts, answer);
  add_relaxed_levers(facts, replans, answer);
  add_memory_levers(engine, facts, answer);
  add_chip_levers(answer);
  add_price_levers(answer);
}

}  // namespace loadfactor::engine
