// A scenario in, one thing to do out.
#include "engine/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/override.h"

namespace loadfactor::engine {

std::string_view words_of(PlanDecision decision) {
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

std::string dollars_text(Dollars amount) {
  if (std::abs(amount.base()) >= 1e6) return "$" + format_short_count(amount.base(), 4);
  return "$" + format_count(std::llround(amount.base()));
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

void add_building(const CostAnswer& cost, PlanMachine& machine) {
  if (!cost.facility) return;
  for (const auto& row : cost.facility->cooling) {
    if (!row.chosen) continue;
    machine.cooling =
        fmt::format("{}, {} {}", row.cooling, row.racks, row.racks == 1 ? "rack" : "racks");
    machine.nodes_per_rack = row.nodes_per_rack;
  }
  const NetworkRow* cheapest = nullptr;
  for (const auto& row : cost.facility->networks)
    if (row.possible && (cheapest == nullptr || row.price < cheapest->price)) cheapest = &row;
  if (cheapest != nullptr && machine.nodes > 1)
    machine.network = fmt::format("{}, {} switches", cheapest->topology, cheapest->switches);
}

namespace {

// The economics give the tenth and the ninetieth percentile; load factors come with intervals of
// 90 %. A lognormal spread is widened to the same share.
EstimateOf<double> ninety_percent(const EstimateOf<double>& figure) {
  if (figure.low() <= 0 || figure.value() <= 0) return figure;
  const double wider = normal_quantile(0.95) / normal_quantile(0.90);
  return EstimateOf<double>(figure.value(),
                            figure.value() * std::pow(figure.low() / figure.value(), wider),
                            figure.value() * std::pow(figure.high() / figure.value(), wider),
                            figure.basis(), figure.source());
}

}  // namespace

// The pair of figures that decides, and whether their intervals can tell them apart.
void add_pair(PlanAnswer& answer) {
  for (const auto& option : answer.options) {
    if (!option.cost.break_even) continue;
    answer.break_even = ninety_percent(*option.cost.break_even);
    answer.against = option.cost.against;
    break;
  }
  if (!answer.break_even || !answer.load_factor) return;
  const auto difference = *answer.load_factor - *answer.break_even;
  answer.is_close = difference.low() <= 0 && difference.high() >= 0;
}

namespace {

std::optional<config::Scenario> scenario_of(const PlanQuestion& question,
                                            Diagnostics& diagnostics) {
  const auto document =
      config::parse_scenario(question.serving.file, question.serving.text, {}, diagnostics);
  if (!document) return std::nullopt;
  auto scenario = config::read_scenario(*document, diagnostics);
  if (!scenario) return std::nullopt;
  if (!scenario->serve && !scenario->train) {
    diagnostics.add(document->error(lf::kNothingToFill, document->root.position,
                                    "there is nothing to serve and nothing to train",
                                    "add a `serve` or a `train` section"));
    return std::nullopt;
  }
  return scenario;
}

// Training in the hours that serving leaves idle, or apart?
void join(PlanAnswer& serving, const PlanAnswer& training) {
  for (const auto& notice : training.notices) serving.notices.push_back(notice);
  serving.runners.push_back({"the training, by itself",
                             training.options.empty() ? Dollars() : training.options[0].amount,
                             training.verdict});
  if (!training.machine || !training.duration || !serving.machine || !serving.load_factor) return;
  const double needed = training.machine->gpus * training.duration->value().base() / 3600;
  const bool same = training.machine->accelerator == serving.machine->accelerator;
  const double window = training.training && training.training->deadline
                            ? training.training->deadline->base() / 3600
                            : 730.0;
  const double goodput = training.load_factor ? training.load_factor->value() : 1.0;
  const double idle = serving.machine->gpus * (1 - serving.load_factor->value()) * window * goodput;
  const bool fits = same && idle >= needed && serving.decision != PlanDecision::kUseApi;
  const std::string sum =
      fmt::format("the training needs {} GPU-hours, idle serving hours give {} by then",
                  format_count(std::llround(needed)), format_count(std::llround(same ? idle : 0)));
  serving.levers.push_back({"train in idle serving hours",
                            fits ? sum + ": one pool does both" : sum + ": keep them apart"});
  if (fits) {
    serving.verdict += fmt::format(" One pool does both: {}.", sum);
    return;
  }
  serving.decision = PlanDecision::kSplit;
  serving.verdict = fmt::format("Split training and serving: {}. Serving: {} Training: {}", sum,
                                serving.verdict, training.verdict);
}

}  // namespace

std::optional<PlanAnswer> make_plan(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics) {
  const auto scenario = scenario_of(question, diagnostics);
  if (!scenario) return std::nullopt;
  if (!scenario->serve) return plan_training(engine, question, diagnostics);
  auto serving = plan_serving(engine, question, diagnostics);
  if (!serving || !scenario->train) return serving;
  const auto training = plan_training(engine, question, diagnostics);
  if (!training) return std::nullopt;
  join(*serving, *training);
  return serving;
}

}  // namespace loadfactor::engine
