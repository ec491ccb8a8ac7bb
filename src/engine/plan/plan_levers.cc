#include "engine/plan/plan_levers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_edit.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_memory.h"

namespace loadfactor::engine {
namespace {

constexpr double kMore = 1.5;
constexpr double kLess = 0.5;
constexpr double kShown = 0.0005;  // A smaller saving is shown as none.

std::string pair_words(const PlanAnswer& answer) {
  std::string text = fmt::format("{} full", percent_text(answer.load_factor->value()));
  if (!answer.break_even) return text;
  text += ", breaks even at " + percent_text(answer.break_even->value());
  // Without an API machines are compared with rent.
  return cheapest_api(answer) != nullptr ? text : text + " against " + answer.against;
}

std::string fleet_words(const PlanAnswer& answer) {
  return fmt::format("{} × {}", answer.machine->layout.gpus, answer.machine->accelerator);
}

std::string opening(const PlanAnswer& answer, int present) {
  switch (answer.decision) {
    case PlanDecision::kUseApi:
      return present > 0 ? fmt::format("Give the {} up and use the API", counted(present, "GPU"))
                         : std::string("Don't run GPUs for this, use the API");
    case PlanDecision::kShrink:
      return fmt::format("Shrink from {} to {}", present, fleet_words(answer));
    case PlanDecision::kHold:
      return fmt::format("Hold at {}", fleet_words(answer));
    case PlanDecision::kOneBiggerGpu:
      return fmt::format("Use one bigger GPU, {}", answer.machine->title);
    default:
      break;
  }
  return present > 0 ? fmt::format("Scale up from {} to {}", present, fleet_words(answer))
                     : fmt::format("Scale up to {}", fleet_words(answer));
}

std::string_view loss_words(const std::string& loss) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{
      {{"demand", "even the peak does not need all replicas"},
       {"rounding", "only a part of the last replica is needed"},
       {"slo", "batches are kept small so that answers keep their time"},
       {"headroom", "kept for the peak within the busiest hour"},
       {"shape", "nights, weekends and other quiet hours"}}};
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](const auto& row) { return row.first == loss; });
  return found == kWords.end() ? std::string_view() : found->second;
}

// What the machines cost, beside the API where it is an option.
std::string money_words(const ServingFacts& facts, const PlanOption* api,
                        const PlanOption& machines) {
  if (api != nullptr && api->amount < machines.amount)
    return fmt::format("; the API is {} a month cheaper.",
                       dollars_text(machines.amount - api->amount));
  std::string text =
      fmt::format("; {}, {} a month", machines.cost.name, dollars_text(machines.amount));
  if (api != nullptr)
    return text +
           fmt::format(", {} less than the API.", dollars_text(api->amount - machines.amount));
  const auto& options = facts.question.scenario().money.options;
  const bool is_asked =
      options.empty() || std::any_of(options.begin(), options.end(), [](const auto& option) {
        return option.value == config::MoneyOption::kApi;
      });
  return text + (is_asked ? ". No API sells this model in the catalogue."
                          : ". The API is not among money.options.");
}

// Why there is no machine to weigh: none was asked for, or none of those asked for has a price.
std::string nothing_weighed_words(const ServingFacts& facts) {
  const auto& options = facts.question.scenario().money.options;
  const bool none_asked =
      !options.empty() && std::all_of(options.begin(), options.end(), [](const auto& option) {
        return option.value == config::MoneyOption::kApi;
      });
  return none_asked
             ? "No way to have GPUs is among money.options, so that nothing else was weighed."
             : "No other way in money.options has a price for these accelerators, so that nothing "
               "else was weighed.";
}

// One replica more or fewer: the same fleet's own curve, priced anew.
void add_replica_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer) {
  for (const int change : {-1, 1}) {
    const auto point =
        std::find_if(facts.fill.curve.begin(), facts.fill.curve.end(),
                     [&](const FillPoint& p) { return p.units == facts.fill.units + change; });
    if (point == facts.fill.curve.end()) continue;
    std::string effect = fmt::format("{}, {} full, {} of the requests within the SLO (fluid limit)",
                                     counted(point->gpus, "GPU"), percent_text(point->load_factor),
                                     percent_text(point->within_slo));
    DeploymentRow row = facts.row;
    row.replicas = point->replicas;
    row.gpus = point->gpus;
    if (const auto priced = price_deployment(engine, facts.question, row))
      effect += fmt::format(", {} a month ({})", dollars_text(priced->per_month), priced->option);
    answer.levers.push_back({change < 0 ? "one replica fewer" : "one replica more", effect});
  }
}

// The answer at other traffic: the API, or the machines.
PlanOutcome outcome_of(const TrafficAnswer& then) {
  if (then.decision == PlanDecision::kUseApi)
    return {.decision = then.decision, .gpus = 0, .load_factor = {}, .per_month = then.api};
  const bool known = !then.option.empty();
  return {.decision = then.decision,
          .gpus = then.gpus,
          .load_factor = known ? std::optional(then.load_factor) : std::nullopt,
          .per_month = known ? std::optional(then.per_month) : std::nullopt};
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

void add_traffic_levers(const ServingFacts& facts, PlanAnswer& answer) {
  for (const double factor : {kMore, kLess}) {
    const std::string name = fmt::format("traffic {:+.0f} %", 100 * (factor - 1));
    const TrafficAnswer then = facts.traffic.at(factor);
    std::string effect = then.option.empty()
                             ? std::string("no GPUs within the limits keep the SLO")
                             : fmt::format("{} × {}, {} full, {} a month ({})", then.gpus,
                                           then.accelerator, percent_text(then.load_factor),
                                           dollars_text(then.per_month), then.option);
    if (then.api)
      effect += fmt::format("; the API {}{}", dollars_text(*then.api),
                            then.option.empty()          ? ""
                            : *then.api < then.per_month ? ", cheaper"
                                                         : ", dearer");
    answer.levers.push_back({name, effect, traffic_edit(facts.question, factor), outcome_of(then)});
  }
}

// What a looser promise, a shorter context or fewer bits save.
void add_relaxed_levers(const ServingFacts& facts, PlanAnswer& answer) {
  const PlanOption* machines = cheapest_machines(answer);
  for (const auto& row : facts.found.relaxed) {
    PlanLever lever{row.change, row.saving > kShown
                                    ? fmt::format("saves {} of the rent", percent_text(row.saving))
                                    : std::string("saves nothing")};
    lever.edit = relaxation_edit(facts.question, row);
    // What saves nothing leaves the answer as it is.
    if (machines != nullptr && answer.load_factor)
      lever.then = row.saving > kShown ? outcome_of(facts, answer, row.gpus, row.load_factor,
                                                    machines->amount * (1 - row.saving))
                                       : outcome_of(facts, answer, answer.machine->layout.gpus,
                                                    answer.load_factor->value(), machines->amount);
    answer.levers.push_back(std::move(lever));
  }
}

void add_chip_levers(const ServingFacts& facts, PlanAnswer& answer) {
  for (const auto& runner : answer.runners) {
    if (runner.accelerator.empty() || runner.accelerator == answer.machine->accelerator) continue;
    PlanLever lever{"another chip: " + runner.name, dollars_text(runner.cost) + " a month"};
    if (runner.load_factor) {
      lever.edit = hardware_edit(runner.accelerator);
      lever.then = outcome_of(facts, answer, runner.gpus, *runner.load_factor, runner.cost);
    }
    answer.levers.push_back(std::move(lever));
  }
}

// Rented alone: a mix that owns its base is neither.
bool is_rented(const std::string& kind) {
  return kind == "on-demand" || kind.starts_with("reserved") || kind == "spot" ||
         kind == "autoscaled";
}

void add_price_levers(PlanAnswer& answer) {
  const PlanOption* api = cheapest_api(answer);
  const PlanOption* machines = cheapest_machines(answer);
  if (machines == nullptr) return;
  if (api != nullptr)
    answer.levers.push_back(
        {"API price", fmt::format("equal to {} at {:.2f} times today's", machines->cost.name,
                                  machines->amount / api->amount)});
  const auto cheapest_of = [&](bool owned) -> const PlanOption* {
    for (const auto& option : answer.options)
      if (option.accelerator == answer.machine->accelerator &&
          (owned ? option.cost.kind == "own" : is_rented(option.cost.kind)))
        return &option;
    return nullptr;
  };
  const PlanOption* own = cheapest_of(true);
  const PlanOption* rent = cheapest_of(false);
  if (own == nullptr || rent == nullptr) return;
  answer.levers.push_back(
      {"own or rent", fmt::format("owned {} a month, {} {}", dollars_text(own->amount),
                                  rent->cost.kind, dollars_text(rent->amount))});
}

}  // namespace

const PlanOption* cheapest_api(const PlanAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.cost.kind == "api") return &option;
  return nullptr;
}

const PlanOption* cheapest_machines(const PlanAnswer& answer) {
  for (const auto& option : answer.options)
    if (option.cost.kind != "api") return &option;
  return nullptr;
}

void add_serving_verdict(const ServingFacts& facts, PlanAnswer& answer) {
  const PlanOption* api = cheapest_api(answer);
  const PlanOption* machines = cheapest_machines(answer);
  if (machines == nullptr && api != nullptr) {
    answer.decision = PlanDecision::kUseApi;
    answer.verdict = fmt::format("Use the API: {} a month. {}", dollars_text(api->amount),
                                 nothing_weighed_words(facts));
  }
  if (machines == nullptr) return;
  answer.machine->procurement = machines->cost.name;
  const bool is_used = answer.decision != PlanDecision::kUseApi && answer.infeasible.empty();
  std::string text =
      answer.infeasible.empty() ? opening(answer, facts.present) + ": " : answer.infeasible + " ";
  if (!is_used) text += machines->cost.name + ", would be ";
  text += pair_words(answer) + money_words(facts, api, *machines);
  if (answer.infeasible.empty()) text += flip_words(answer);
  answer.verdict = text + close_words(answer);
  const auto largest =
      std::max_element(answer.losses.begin(), answer.losses.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest != answer.losses.end())
    answer.because =
        fmt::format("Most of the empty share is lost to {} ({}): {} of what is paid for.",
                    largest->first, loss_words(largest->first), percent_text(largest->second));
}

void add_serving_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer) {
  add_traffic_levers(facts, answer);
  add_replica_levers(engine, facts, answer);
  add_relaxed_levers(facts, answer);
  add_memory_levers(engine, facts, answer);
  add_chip_levers(facts, answer);
  add_price_levers(answer);
}

}  // namespace loadfactor::engine
