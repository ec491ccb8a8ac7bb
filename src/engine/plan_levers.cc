#include "engine/plan_levers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/plan_close.h"
#include "engine/plan_figures.h"
#include "engine/plan_limits.h"
#include "engine/plan_memory.h"
#include "engine/plan_scenario.h"

namespace loadfactor::engine {
namespace {

constexpr double kMore = 1.5;
constexpr double kLess = 0.5;

// How full the fleet can be with this shape and SLO.
double fullest(const FillAnswer& fill) {
  return fill.thresholds.empty() ? 1.0 : fill.thresholds[0].fullest;
}

// At which change of the traffic machines and API cost the same.
std::string flip_words(const ServingFacts& facts, const PlanAnswer& answer) {
  if (!answer.break_even || !answer.load_factor || answer.load_factor->value() <= 0) return {};
  const double even = answer.break_even->value();
  const double change = even / answer.load_factor->value() - 1;
  constexpr double kNearlyAll = 0.995;
  if (change < -kNearlyAll)
    return " On this fleet it flips only when next to nothing is left of the traffic.";
  if (change <= 0) return fmt::format(" On this fleet it flips at {:.0f} % traffic.", 100 * change);
  const double most = std::max(fullest(facts.fill), answer.load_factor->value());
  if (even > most)
    return fmt::format(
        " On this fleet no traffic flips it: this shape and SLO leave it {} full at most.",
        percent_text(most));
  return fmt::format(" On this fleet it flips at +{:.0f} % traffic, while that needs no more GPUs.",
                     100 * change);
}

std::string pair_words(const PlanAnswer& answer) {
  std::string text = fmt::format("{} full", percent_text(answer.load_factor->value()));
  if (!answer.break_even) return text;
  const std::string even = percent_text(answer.break_even->value());
  // Without an API machines are compared with rent, and the figure may be of another way to pay.
  if (cheapest_api(answer) != nullptr) return text + ", breaks even at " + even;
  const std::string other = break_even_of(answer);
  if (other.empty())
    return text + fmt::format(", breaks even at {} against {}", even, answer.against);
  return text + fmt::format(" ({} would break even at {} against {})", other, even, answer.against);
}

std::string fleet_words(const PlanAnswer& answer) {
  return fmt::format("{} × {}", answer.machine->gpus, answer.machine->accelerator);
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
  const auto scenario = scenario_of(facts.question.serving);
  const auto& options = scenario ? scenario->money.options : decltype(scenario->money.options)();
  const bool is_asked =
      options.empty() || std::any_of(options.begin(), options.end(), [](const auto& option) {
        return option.value == config::MoneyOption::kApi;
      });
  return text + (is_asked ? ". No API sells this model in the catalogue."
                          : ". The API is not among money.options.");
}

// One replica more or fewer: the same fleet's own curve, priced anew.
void add_replica_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer) {
  for (const int change : {-1, 1}) {
    const auto point = std::find_if(
        facts.fill.curve.begin(), facts.fill.curve.end(),
        [&](const FillPoint& p) { return p.replicas == facts.fill.replicas + change; });
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

// The scenario with other traffic; nothing for a recording, which is as it is.
std::optional<PlanQuestion> with_traffic(const ServingFacts& facts, double factor) {
  const std::vector<std::string> set{
      "serve.demand.requests_per_hour=", "serve.demand.requests_per_day=",
      "serve.demand.requests_per_month=",
      fmt::format("serve.demand.requests_per_second={:.9g}", facts.found.mean.base() * factor)};
  if (!facts.question.serving.trace_bytes.empty()) return std::nullopt;
  return with_values(facts.question, set);
}

// Sized anew over all candidates, filled and priced; only the simulation is left out.
void add_traffic_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer) {
  const PlanOption* machines = cheapest_machines(answer);
  if (machines == nullptr) return;
  for (const double factor : {kMore, kLess}) {
    auto changed = with_traffic(facts, factor);
    if (!changed) return;
    changed->confirm = 0;
    changed->levers = false;
    Diagnostics unread;
    const LimitedSearch search = search_within(engine, *changed, unread);
    const std::string name = fmt::format("traffic {:+.0f} %", 100 * (factor - 1));
    if (!search.found) {
      answer.levers.push_back({name, "nothing keeps the SLO"});
      continue;
    }
    const DeploymentRow& row = search.found->rows.front();
    const auto priced = price_deployment(engine, search.question, row);
    if (!priced) continue;
    std::string effect = fmt::format("{} × {}, {} full, {} a month ({})", row.gpus, row.accelerator,
                                     percent_text(priced->load_factor),
                                     dollars_text(priced->per_month), priced->option);
    if (priced->api)
      effect += fmt::format("; the API {}{}", dollars_text(*priced->api),
                            *priced->api < priced->per_month ? ", cheaper" : ", dearer");
    if (!search.broken.empty()) effect += "; beyond " + search.broken[0].key;
    answer.levers.push_back({name, effect});
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
    answer.verdict = fmt::format(
        "Use the API: {} a month. No way to have GPUs is among money.options, so that nothing "
        "else was weighed.",
        dollars_text(api->amount));
  }
  if (machines == nullptr) return;
  answer.machine->procurement = machines->cost.name;
  const bool is_used = answer.decision != PlanDecision::kUseApi && answer.infeasible.empty();
  std::string text =
      answer.infeasible.empty() ? opening(answer, facts.present) + ": " : answer.infeasible + " ";
  if (!is_used) text += fleet_words(answer) + " would be ";
  text += pair_words(answer) + money_words(facts, api, *machines);
  if (api != nullptr && answer.infeasible.empty()) text += flip_words(facts, answer);
  answer.verdict = text + close_words(answer);
  const auto largest =
      std::max_element(answer.losses.begin(), answer.losses.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest != answer.losses.end())
    answer.because = fmt::format("Most of the empty share is lost to {}: {} of what is paid for.",
                                 largest->first, percent_text(largest->second));
}

void add_serving_levers(const Engine& engine, const ServingFacts& facts, PlanAnswer& answer) {
  add_traffic_levers(engine, facts, answer);
  add_replica_levers(engine, facts, answer);
  for (const auto& row : facts.found.relaxed)
    answer.levers.push_back({row.change, row.saving > 0.0005 ? fmt::format("saves {} of the rent",
                                                                           percent_text(row.saving))
                                                             : std::string("saves nothing")});
  add_memory_levers(engine, facts, answer);
  const std::string ours = " " + answer.machine->accelerator + " ";
  for (const auto& runner : answer.runners)
    if (runner.name.find(ours) == std::string::npos)
      answer.levers.push_back(
          {"another chip: " + runner.name, dollars_text(runner.cost) + " a month"});
  add_price_levers(answer);
}

}  // namespace loadfactor::engine
