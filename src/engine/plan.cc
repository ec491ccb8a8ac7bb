// A scenario in, one thing to do out.
#include "engine/plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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
  for (const auto& row : cost.facility->cooling)
    if (row.chosen) machine.cooling = fmt::format("{}, {} racks", row.cooling, row.racks);
  const NetworkRow* cheapest = nullptr;
  for (const auto& row : cost.facility->networks)
    if (row.possible && (cheapest == nullptr || row.price < cheapest->price)) cheapest = &row;
  if (cheapest != nullptr && machine.nodes > 1)
    machine.network = fmt::format("{}, {} switches", cheapest->topology, cheapest->switches);
}

// The pair of figures that decides, and whether their intervals can tell them apart.
void add_pair(PlanAnswer& answer) {
  for (const auto& option : answer.options) {
    if (!option.cost.break_even) continue;
    answer.break_even = option.cost.break_even;
    answer.against = option.cost.against;
    break;
  }
  if (!answer.break_even || !answer.load_factor) return;
  const auto difference = *answer.load_factor - *answer.break_even;
  answer.is_close = difference.low() <= 0 && difference.high() >= 0;
}

namespace {

// People are paid whatever the rent is.
Dollars people_of(const CostAnswer& cost) {
  for (const auto& line : cost.lines)
    if (line.name == "people") return line.monthly;
  return {};
}

PlanSlider slider_of(const CostOption& here, const CostOption& full, double load, Dollars people) {
  PlanSlider slider{.name = here.name, .kind = here.kind};
  slider.working = (full.per_month.value() - here.per_month.value()) / (1 - load);
  slider.fixed = here.per_month.value() - slider.working * load;
  if (here.kind != "own") slider.rent = slider.fixed - people;
  if (here.per_mtoken) slider.per_mtoken = here.per_mtoken->value();
  return slider;
}

}  // namespace

void add_sliders(const Engine& engine, CostRequest request, PlanAnswer& answer) {
  if (!answer.cost || !request.capacity || request.capacity->load_factor >= 1) return;
  request.capacity->load_factor = 1;
  request.capacity->busy_by_hour.clear();
  constexpr std::int64_t kFewDraws = 64;  // Only the middle figures are read.
  request.draws = kFewDraws;
  Diagnostics unread;
  const auto full = engine.cost(request, unread);
  if (!full) return;
  for (const auto& option : answer.cost->options) {
    const bool linear = option.kind == "on-demand" || option.kind == "reserved-1y" ||
                        option.kind == "reserved-3y" || option.kind == "spot" ||
                        option.kind == "own" || option.kind == "api";
    const auto same = std::find_if(full->options.begin(), full->options.end(),
                                   [&](const auto& other) { return other.kind == option.kind; });
    if (linear && same != full->options.end())
      answer.sliders.push_back(
          slider_of(option, *same, answer.cost->load_factor, people_of(*answer.cost)));
  }
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
