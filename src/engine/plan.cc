// A scenario in, one thing to do out.
#include "engine/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/distributions.h"
#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/catalog.h"
#include "config/override.h"
#include "engine/plan_close.h"

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

std::string command_text(const PlanQuestion& question, std::string_view verb) {
  std::string text = fmt::format("loadfactor {} {}", verb, question.as_written().file);
  for (const auto& assignment : config::overrides_in(question.as_written().text))
    text += fmt::format(" --set '{}'", assignment);
  return text;
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

namespace {

// Both figures of the pair are of the fleet as sized. A way to pay that lets machines go when they
// are idle has its own pair, of the hours it pays for: both of those are higher by the same factor.
void add_break_even(const CostOption& option, PlanAnswer& answer) {
  const double fleet = answer.machine->gpus;
  answer.break_even = ninety_percent(*option.break_even);
  answer.break_even_of = option.name;
  answer.against = option.against;
  if (option.gpus <= 0 || option.gpus >= fleet) return;
  answer.break_even = *answer.break_even * (option.gpus / fleet);
  if (!option.load_factor) return;
  answer.notices.push_back(
      {"hours-paid", Severity::kNote,
       fmt::format("{} pays for {:.1f} of the {:.0f} GPUs on average: of those hours {} carry work "
                   "and {} would break even",
                   option.name, option.gpus, fleet, percent_text(option.load_factor->value()),
                   percent_text(option.break_even->value()))});
}

}  // namespace

// The pair of figures that decides, and whether their intervals can tell them apart.
void add_pair(PlanAnswer& answer) {
  for (const auto& option : answer.options) {
    const bool ours = answer.machine && option.accelerator == answer.machine->accelerator;
    if (!ours || !option.cost.break_even) continue;
    add_break_even(option.cost, answer);
    break;
  }
  if (!answer.break_even || !answer.load_factor) return;
  const auto difference = *answer.load_factor - *answer.break_even;
  if (difference.low() <= 0 && difference.high() >= 0)
    call_close(answer, "the interval of the difference contains zero");
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

}  // namespace

std::optional<PlanAnswer> make_plan(const Engine& engine, const PlanQuestion& question,
                                    Diagnostics& diagnostics) {
  const auto scenario = scenario_of(question, diagnostics);
  if (!scenario) return std::nullopt;
  if (!scenario->serve) return plan_training(engine, question, diagnostics);
  if (!scenario->train) return plan_serving(engine, question, diagnostics);
  return plan_pool(engine, question, diagnostics);
}

}  // namespace loadfactor::engine
