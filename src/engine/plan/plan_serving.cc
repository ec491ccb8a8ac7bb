// A service: sized over the candidates, filled with its demand, priced every way.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "engine/cost/api_alone.h"
#include "engine/cost/cost_answer.h"
#include "engine/fill/fill.h"
#include "engine/fill/sizing.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_api.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_edit.h"
#include "engine/plan/plan_figures.h"
#include "engine/plan/plan_levers.h"
#include "engine/plan/plan_limits.h"
#include "engine/plan/plan_replan.h"
#include "engine/plan/plan_steps.h"
#include "engine/plan/plan_traffic.h"
#include "engine/plan/serving_planner.h"
#include "resolve/model/sold_alone.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/served_layout.h"
#include "search/fleet_memory.h"

namespace loadfactor::engine {
namespace {

PlanMachine machine_of(const PricedRow& priced, const catalog::Catalog& catalog) {
  const DeploymentRow& row = *priced.row;
  PlanMachine machine;
  machine.accelerator = row.accelerator;
  machine.title = priced.fill.accelerator_title;
  machine.precision = row.precision;
  machine.kv_format = row.kv_format;
  machine.layout = served_layout(row.layout, row.replicas);
  machine.layout.gpus = row.gpus;
  machine.spares = row.spares;
  machine.enough = row.enough;
  if (row.prompt_replicas > 0)
    machine.prompts = served_layout(row.prompt_layout, row.prompt_replicas);
  const auto chip = catalog.find_accelerator(row.accelerator);
  if (chip) {
    machine.gpus_per_node = gpus_of_node(catalog, **chip);
    machine.nodes = nodes_for(**chip, row.gpus, machine.gpus_per_node);
  }
  add_building(priced.cost, machine);
  add_links(catalog, machine);
  return machine;
}

void add_fill(const FillAnswer& fill, PlanAnswer& answer) {
  answer.load_factor = fill.load_factor;
  answer.fleet_load = fill.load_factor.value();
  answer.within_slo = fill.within_slo;
  for (const auto& day : fill.week.rate)
    answer.week.insert(answer.week.end(), day.begin(), day.end());
  const auto& losses = fill.load.losses;
  answer.losses = {{"demand", losses.demand, ServiceLoss::kDemand},
                   {"shape", losses.shape, ServiceLoss::kShape},
                   {"headroom", losses.headroom, ServiceLoss::kHeadroom},
                   {"slo", losses.slo, ServiceLoss::kSlo},
                   {"rounding", losses.rounding, ServiceLoss::kRounding}};
  for (const auto& point : fill.curve) {
    answer.curve.push_back({point.gpus, point.load_factor, point.within_slo});
    if (point.is_knee) answer.knee = point.gpus;
  }
}

// What one GPU of a replica holds, and what a step of it does.
void add_replica(const Core& engine, const PricedRow& priced, const PlanInputs& question,
                 PlanAnswer& answer) {
  ServeInputs request;
  request.scenario = priced.request.scenario;
  request.model_files = question.serving.model_files;
  request.trace_bytes = question.serving.trace_bytes;
  Diagnostics unread;
  const auto serve = engine.serve(request, unread);
  const auto chip = engine.catalog().find_accelerator(priced.row->accelerator);
  if (!serve || !chip) return;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  const double weights = serve->weights_per_gpu.value().base() / kGib;
  const double cache = serve->kv_per_gpu.value().base() / kGib;
  const double all = (*chip)->memory.usable.base() / kGib;
  answer.memory = {{MemoryUse::kWeights, weights},
                   {MemoryUse::kKvCache, cache},
                   {MemoryUse::kEngineAndFree, std::max(0.0, all - weights - cache)}};
  answer.steps = serve->parts;
  for (const auto& fact : serve->facts) answer.facts.push_back(fact);
}

// GPUs of the fleet the scenario says is there; 0: none.
int present_gpus(const PlanInputs& question, const catalog::Catalog& catalog) {
  const auto& deployment = question.scenario().serve->deployment;
  const auto is_there = [](const auto& pool) { return pool && pool->replicas; };
  if (!deployment ||
      !(deployment->pool.replicas || is_there(deployment->prefill) || is_there(deployment->decode)))
    return 0;
  Diagnostics unread;
  const auto fill = fill_fleet({.serving = question.serving, .load_only = true}, catalog, unread);
  return fill ? fill->gpus : 0;
}

// The accelerators' cheapest ways, the answer's first.
std::vector<ServingCandidate> candidates_of(const ServingPlanner& planner,
                                            const PlanAnswer& answer) {
  std::vector<ServingCandidate> found;
  for (const auto& priced : planner.rows()) {
    const CostOption* cheapest = priced.cheapest();
    if (cheapest == nullptr) continue;
    const bool ours = priced.row->accelerator == answer.machine->accelerator;
    found.insert(ours ? found.begin() : found.end(),
                 {priced.row->accelerator, priced.row->gpus, cheapest->per_month});
  }
  return found;
}

void add_runner_ups(const ServingPlanner& planner, const SizeAnswer& found, PlanAnswer& answer) {
  for (const auto& priced : planner.rows()) {
    if (priced.row->accelerator == answer.machine->accelerator) continue;
    const CostOption* cheapest = priced.cheapest();
    if (cheapest == nullptr) continue;
    const Dollars cost = cheapest->per_month.value();
    answer.runner_ups.push_back(
        {DearerDeployment{*priced.row, cheapest->kind, cost - answer.options[0].amount}, cost,
         priced.row->accelerator, priced.row->gpus, priced.fill.load_factor.value()});
  }
  for (const auto& row : found.rows) {
    if (answer.runner_ups.size() >= 5) break;
    if (row.accelerator != answer.machine->accelerator || row.gpus == answer.machine->layout.gpus)
      continue;
    if (!row.per_hour) continue;
    answer.runner_ups.push_back({OtherDeployment{row, answer.machine->layout.gpus},
                                 *row.per_hour * (kMonth / kHour), row.accelerator, row.gpus,
                                 row.load_factor});
  }
  for (const auto& row : found.pareto) {
    if (!row.per_mtoken) continue;
    answer.front.push_back({row, 1e3 * row.tpot.base(), row.per_mtoken->base(),
                            row.gpus == answer.machine->layout.gpus &&
                                row.accelerator == answer.machine->accelerator});
  }
  answer.front_has_prices = found.has_prices;
}

void merge_notices(const std::vector<Notice>& from, PlanAnswer& answer) {
  for (const auto& notice : from) {
    // What the plan itself settles needs no confession, nor what its tables do not mark.
    const bool settled = notice.id == "chosen-fleet" || notice.id == "first-accelerator" ||
                         notice.id == "closed-form-rows";
    const bool known =
        std::any_of(answer.notices.begin(), answer.notices.end(), [&](const Notice& other) {
          if (notice.text.empty()) return other == notice;
          return other.text == notice.text;
        });
    if (!settled && !known) answer.notices.push_back(notice);
  }
}

// How the fleet comes to its replicas, by the steps that `serve` and `fill` print.
std::optional<Notice> note_steps(const Core& engine, const PlanInputs& question,
                                 const PricedRow& priced) {
  const DeploymentRow& row = *priced.row;
  ServingInputs serving = question.serving;
  serving.scenario = priced.request.scenario;
  Diagnostics unread;
  const auto world = ServingWorld::create(serving, engine.catalog(), unread);
  if (!world) return std::nullopt;
  return note_fleet({.steps = count_replicas(world->demand().rates, world->demand().mean(),
                                             priced.fill.replica.capacity, world->slo_quantile()),
                     .replicas = row.replicas - row.spares,
                     .spares = row.spares,
                     .is_simulated = row.is_calibrated,
                     .is_replayed = world->demand().trace.has_value()});
}

// The search simulates what is cheapest the whole time; where machines come and go others may be.
void merge_search_notices(const Core& engine, const PlanInputs& question, const SizeAnswer& found,
                          const PricedRow& priced, PlanAnswer& answer) {
  const DeploymentRow& chosen = *priced.row;
  const DeploymentRow& first = found.rows.front();
  if (&first == &chosen) return merge_notices(found.notices, answer);
  std::vector<Notice> general;
  for (const auto& notice : found.notices)
    if (!is_of_first_row(notice.id)) general.push_back(notice);
  merge_notices(general, answer);
  if (auto steps = note_steps(engine, question, priced))
    answer.notices.push_back(*std::move(steps));
  answer.notices.push_back(note_weeks(chosen));
  if (chosen.is_confirmed) return;
  answer.notices.push_back(
      {.id = "not-simulated",
       .severity = Severity::kCaution,
       .arguments = {{"simulated", row_words(first)},
                     {"chosen", row_words(chosen)},
                     {chosen.is_calibrated ? "by_rate" : "by_closed_form", {}}}});
}

// Nothing keeps the promise, or nobody runs as many replicas: the API does the work where it sells
// it within the budget; else that is the answer, with what comes closest.
std::optional<PlanAnswer> without_machines(const Core& engine, const PlanInputs& question,
                                           const Diagnostics& problems) {
  if (problems.errors().empty()) return std::nullopt;
  const Error& error = problems.errors()[0];
  if (!leaves_the_api(error)) return std::nullopt;
  PlanAnswer answer = plan_api_alone(engine, question);
  answer.scenario = question.scenario().name.value;
  answer.decision = PlanDecision::kNotFeasible;
  answer.refusal = error;
  answer.commands = {command_text(question, "serve")};
  const auto budget = broken_budget(question, answer);
  if (!answer.options.empty() && !budget) answer.decision = PlanDecision::kUseApi;
  if (budget) {
    answer.broken.push_back(*budget);
    answer.options[0].is_over_budget = true;
  }
  if (error.code == lf::kSloOutOfReach && nearly_feasible(engine, question))
    add_close_call(answer, BarelyMissedPromise{kLooserPromise});
  add_assumptions(question, answer);
  return answer;
}

void add_chosen(const Core& engine, const PricedRow& chosen, PlanAnswer& answer) {
  answer.machine = machine_of(chosen, engine.catalog());
  answer.cost = chosen.cost;
  answer.priced = chosen.request;
  answer.fill = PlanFill{chosen.fill.units, chosen.fill.replica.capacity.saturated,
                         chosen.fill.mean, chosen.fill.input, chosen.fill.output};
  answer.full_plane = chosen.cost.full_plane.value_or(TokensPerSecond());
  add_fill(chosen.fill, answer);
  add_load_and_break_even(answer);
}

// Where neither an API nor machines that are there could be given up, there is nothing to flip to.
void add_flips(const ServingFacts& facts, const Replanner& replans, PlanAnswer& answer) {
  const bool has_other = cheapest_api(answer) != nullptr || facts.present > 0;
  if (!has_other || weighed_option(answer) == nullptr || !answer.broken.empty()) return;
  // What was simulated may differ from what the closed form makes of today's traffic.
  if (facts.traffic.at(1).decision != answer.decision) return;
  const auto replanned = [&](double traffic,
                             const std::string& chip) -> std::optional<ServiceOutcome> {
    const auto edit = traffic_edit(facts.question, traffic);
    const auto then = edit ? replans.at_traffic(*edit, chip) : std::nullopt;
    return then ? std::optional(service_outcome_of(*then)) : std::nullopt;
  };
  const double week = facts.found.mean * kWeek;
  const double most = static_cast<double>(search::SizingProblem().most_requests) / week;
  FoundFlips found = facts.traffic.flips(answer.decision, {.at = replanned, .most = most});
  answer.flips = std::move(found.flips);
  answer.flips_sought = true;
  answer.is_open_above = found.is_open_above;
  answer.is_open_below = found.is_open_below;
  for (auto& flip : answer.flips) {
    const auto edit = traffic_edit(facts.question, flip.traffic);
    if (edit && !flip.is_rough) flip.edit = config::to_set_text(*edit);
  }
}

// The cost of a promised availability is that of the plan less that of the plan without it.
void add_promise(const SizeAnswer& found, const Replanner& replans, PlanAnswer& answer) {
  if (!found.promised || !answer.machine) return;
  PlanPromise promise{.asked = found.promised->asked,
                      .zones = found.promised->zones,
                      .deployed = found.promised->deployed,
                      .spares = answer.machine->spares,
                      .enough = answer.machine->enough};
  const auto plain =
      replans.with({{"serve.slo.availability"}, {"serve.slo.zones"}, {"serve.slo.spare"}});
  if (!plain || !plain->machine) return;
  promise.plain_gpus = plain->machine->layout.gpus;
  promise.plain_spares = plain->machine->spares;
  promise.plain_enough = plain->machine->enough;
  const PlanOption* cheapest = cheapest_machines(*plain);
  const PlanOption* ours = cheapest_machines(answer);
  if (cheapest != nullptr) promise.plain_per_month = cheapest->amount;
  if (cheapest != nullptr && ours != nullptr) promise.more = ours->amount - cheapest->amount;
  answer.promise = promise;
}

void add_ground(const ServingPlanner& planner, const PricedRow& chosen, const SizeAnswer& found,
                PlanAnswer& answer) {
  PlanGround ground;
  for (const PricedRow& priced : planner.rows()) {
    PlanGround::Row row{priced.row->accelerator, priced.row->gpus, priced.request};
    const bool is_ours = priced.row == chosen.row;
    ground.rows.insert(is_ours ? ground.rows.begin() : ground.rows.end(), std::move(row));
  }
  ground.at_traffic = found.at_traffic;
  answer.ground = std::make_shared<const PlanGround>(std::move(ground));
}

PlanAnswer assemble(const Core& engine, const LimitedSearch& search,
                    const ServingPlanner& planner) {
  const SizeAnswer& found = *search.found;
  const PlanInputs& question = search.question;
  PlanAnswer answer;
  answer.scenario = found.scenario;
  answer.model_title = found.model_title;
  answer.tokens_in = found.input;
  answer.tokens_out = found.output;
  answer.rate = found.mean;
  const PricedRow& chosen = planner.chosen(found);
  planner.add_options(chosen, answer);
  planner.add_unpriced(answer);
  add_chosen(engine, chosen, answer);
  add_ground(planner, chosen, found, answer);
  const int present = present_gpus(question, engine.catalog());
  answer.present_gpus = present;
  answer.decision = answer.options[0].cost.kind == OptionKind::kApi
                        ? PlanDecision::kUseApi
                        : serving_decision(answer.machine->layout.gpus, present, least_gpus(found));
  add_runner_ups(planner, found, answer);
  for (const auto& excluded : search.excluded) answer.runner_ups.push_back(excluded);
  const TrafficPlans traffic(engine, question, found, planner, present);
  const ServingFacts facts{question, found, chosen.fill, *chosen.row, present, traffic};
  add_serving_close_calls(facts, candidates_of(planner, answer), answer);
  apply_limits(engine, search, answer);
  const Replanner replans(engine, question);
  if (question.levers && answer.broken.empty())
    answer.steps_to_pay = steps_of_service(engine, limits_of(question), found, planner);
  if (question.levers) add_flips(facts, replans, answer);
  if (question.levers) add_promise(found, replans, answer);
  add_comparison(facts, answer);
  if (question.levers) add_serving_levers(engine, facts, replans, answer);
  merge_search_notices(engine, question, found, chosen, answer);
  merge_notices(chosen.fill.notices, answer);
  merge_notices(chosen.cost.notices, answer);
  for (const auto& fact : chosen.cost.facts) answer.facts.push_back(fact);
  for (const auto& fact : chosen.fill.facts) answer.facts.push_back(fact);
  add_replica(engine, chosen, question, answer);
  add_assumptions(question, answer);
  answer.commands = {command_text(question, "serve --search"), command_text(question, "fill"),
                     command_text(question, "plan") + " -o report.html"};
  return answer;
}

}  // namespace

std::optional<PlanAnswer> plan_serving(const Core& engine, const PlanInputs& asked,
                                       Diagnostics& diagnostics) {
  PlanInputs question = asked;
  if (!question.serving.models)
    question.serving.models = read_serving_models(engine.catalog(), diagnostics);
  if (!question.serving.models) return std::nullopt;
  if (!question.shapes) question.shapes = std::make_shared<search::WeekShapes>();
  if (question.levers) question.memory = std::make_shared<search::FleetMemory>();
  Diagnostics sizing;
  const LimitedSearch search = search_within(engine, question, sizing);
  if (!search.found) {
    if (auto answer = without_machines(engine, question, sizing)) return answer;
    diagnostics.add_all(sizing);
    return std::nullopt;
  }
  ServingPlanner planner(engine, search.question);
  Diagnostics pricing;
  if (!planner.price(*search.found, pricing)) {
    diagnostics.add_all(pricing);
    return std::nullopt;
  }
  return assemble(engine, search, planner);
}

}  // namespace loadfactor::engine
