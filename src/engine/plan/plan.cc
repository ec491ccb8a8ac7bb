// A scenario in, one thing to do out.
#include "engine/plan/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "economics/evaluate.h"
#include "engine/plan/plan_close.h"
#include "engine/plan/plan_figures.h"

namespace loadfactor::engine {

std::string_view name_of(PlanDecision decision) {
  switch (decision) {
    case PlanDecision::kScaleUp:
      return "scale up";
    case PlanDecision::kHold:
      return "hold";
    case PlanDecision::kShrink:
      return "shrink";
    case PlanDecision::kUseApi:
      return "use the API";
    case PlanDecision::kOneBiggerGpu:
      return "use one bigger GPU";
    case PlanDecision::kSplit:
      return "split training and serving";
    case PlanDecision::kNotFeasible:
      break;
  }
  return "not feasible";
}

bool PaidMachines::lets_go() const {
  return economics::comes_and_goes(kind);
}

EstimateOf<Dollars> PlanOption::estimate(double times) const {
  const auto& month = cost.run_cost ? *cost.run_cost : cost.per_month;
  const Dollars value = amount * times;
  if (month.value() <= Dollars())
    return EstimateOf<Dollars>::exact(value, month.basis(), month.source());
  const double months = value / month.value();
  return {value, month.low() * months, month.high() * months, month.basis(), month.source()};
}

PaidMachines PlanOption::machines() const {
  return {cost.kind, cost.name, accelerator, gpus, cost.gpus, cost.owned, cost.reserved};
}

std::string command_text(const PlanInputs& question, std::string_view verb) {
  const auto& scenario = question.as_written();
  std::string text = fmt::format("loadfactor {} {}", verb, scenario.file());
  if (scenario.source)
    for (const auto& assignment : scenario.source->assignments)
      text += fmt::format(" --set '{}'", assignment);
  // Other verbs know one place alone.
  const bool is_elsewhere = !verb.starts_with("plan") && scenario.serve;
  if (is_elsewhere && !scenario.serve->regions.empty()) text += " --set 'serve.regions='";
  return text;
}

PlanInputs PlanInputs::with(std::initializer_list<config::Edit> edits) const {
  PlanInputs question = *this;
  question.written = as_written();
  question.serving.scenario = serving.scenario.with(edits);
  return question;
}

void add_building(const CostAnswer& cost, PlanMachine& machine) {
  if (!cost.facility) return;
  for (const auto& row : cost.facility->cooling) {
    if (!row.chosen) continue;
    machine.cooling = row.cooling;
    machine.racks = row.racks;
    machine.nodes_per_rack = row.nodes_per_rack;
  }
  const NetworkRow* cheapest = nullptr;
  for (const auto& row : cost.facility->networks)
    if (row.possible && (cheapest == nullptr || row.price < cheapest->price)) cheapest = &row;
  if (cheapest == nullptr || machine.nodes <= 1) return;
  machine.network = cheapest->topology;
  machine.switches = cheapest->switches;
}

namespace {

// An option that lets GPUs go pays for this share of their hours. What it does not pay for are
// first the quiet hours, then the part of a replica that is not needed, then what else is empty.
void keep_hours_paid(double share, PlanAnswer& answer) {
  double unpaid = 1 - share;
  for (const ServiceLoss kind : {ServiceLoss::kShape, ServiceLoss::kRounding,
                                 ServiceLoss::kHeadroom, ServiceLoss::kDemand, ServiceLoss::kSlo}) {
    for (auto& loss : answer.losses) {
      if (loss.service != kind) continue;
      const double less = std::clamp(unpaid, 0.0, std::max(0.0, loss.share));
      loss.share = (loss.share - less) / share;
      unpaid -= less;
    }
  }
  const auto& load = *answer.load_factor;
  answer.load_factor =
      EstimateOf<double>(std::min(1.0, load.value() / share), load.low() / share,
                         std::min(1.0, load.high() / share), load.basis(), load.source());
}

// A mix of which nothing is owned is rented on spot alone.
std::string told_kind(const CostOption& option) {
  const bool is_spot_alone = option.kind == OptionKind::kOwnSpotBurst && option.owned <= 0;
  return std::string(name_of(is_spot_alone ? OptionKind::kSpot : option.kind));
}

// Whole machines have GPUs that nothing needs.
void spread_over_machines(double times, PlanAnswer& answer) {
  for (auto& loss : answer.losses) loss.share = loss.share / times;
  for (auto& loss : answer.losses)
    if (loss.service == ServiceLoss::kRounding) loss.share += 1 - 1 / times;
  answer.load_factor = *answer.load_factor * (1 / times);
}

}  // namespace

// The pair of figures that decides, and whether their intervals can tell them apart. Both are of
// one option: of the hours it pays for, at its price.
void add_load_and_break_even(PlanAnswer& answer) {
  const PlanOption* option = weighed_option(answer);
  if (option == nullptr || !answer.machine) return;
  const double fleet = answer.machine->layout.gpus;
  const double paid = option->cost.gpus;
  if (answer.load_factor && paid > 0 && paid < fleet && !answer.is_training) {
    const std::string all = percent_text(answer.load_factor->value());
    keep_hours_paid(paid / fleet, answer);
    answer.notices.push_back({.id = "hours-paid",
                              .arguments = {{"option", told_kind(option->cost)},
                                            {"paid", fmt::format("{:.3g}", paid)},
                                            {"gpus", fmt::format("{:.0f}", fleet)},
                                            {"load", percent_text(answer.load_factor->value())},
                                            {"fleet_load", all}}});
  }
  if (answer.load_factor && paid > fleet + 0.5 && !answer.is_training) {
    spread_over_machines(paid / fleet, answer);
    answer.notices.push_back({.id = "whole-machines",
                              .arguments = {{"option", told_kind(option->cost)},
                                            {"gpus", fmt::format("{:.0f}", fleet)},
                                            {"load", percent_text(answer.load_factor->value())}}});
  }
  if (option->cost.break_even) {
    answer.break_even = *option->cost.break_even;
    answer.against = option->cost.against;
  }
  if (!answer.break_even || !answer.load_factor) return;
  const auto difference = *answer.load_factor - *answer.break_even;
  if (difference.low() <= 0 && difference.high() >= 0) add_close_call(answer, EvenLoadFactor{});
}

std::optional<PlanAnswer> make_plan(const Core& engine, const PlanInputs& question,
                                    Diagnostics& diagnostics) {
  const auto& scenario = question.scenario();
  if (!scenario.serve && !scenario.train) {
    diagnostics.add(scenario.error(
        lf::kNothingToFill, scenario.position, "there is nothing to serve and nothing to train",
        scenario.capacity ? "add a `serve` or a `train` section; `cost` weighs GPUs "
                            "that are there, whatever runs on them"
                          : "add a `serve` or a `train` section"));
    return std::nullopt;
  }
  if (!scenario.serve) return plan_training(engine, question, diagnostics);
  if (!scenario.train) return plan_serving(engine, question, diagnostics);
  return plan_pool(engine, question, diagnostics);
}

}  // namespace loadfactor::engine
