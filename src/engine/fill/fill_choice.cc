// Which chip and which replica a fleet is made of.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/fill/fill.h"
#include "serving/split_plan.h"

namespace loadfactor::engine {
namespace {

Error misses(const ServingWorld& world, const serving::CapacityFigures& figures) {
  return world.setup().error(
      lf::kSloOutOfReach, world.setup().ask().position,
      fmt::format("even an idle replica misses the SLO: ttft {:.3g} s, tpot {:.3g} ms",
                  figures.idle_ttft.base(), 1e3 * figures.idle_tpot.base()),
      "relax serve.slo, raise tp, or choose faster hardware");
}

// The replica of one chip as the scenario has it, or why there is none.
Result<FillContext> replica_on(ServingWorld& world, const catalog::AcceleratorSpec& chip) {
  world.setup().chip = &chip;
  FillContext context{.world = &world};
  TRY(context.plan, world.asked_replica());
  context.figures = world.capacity(context.plan);
  const auto& deployment = world.setup().ask().deployment;
  if (deployment && deployment->prefill) {
    TRY(context.prompts, world.asked_prompts());
    const auto count = [](const config::Given<int>& given) { return given ? given->value : 1; };
    const SplitUnit unit =
        split_unit(world, *context.prompts, context.plan, count(deployment->prefill->replicas),
                   count(deployment->decode->replicas));
    context.prompt_replicas = unit.prompts;
    context.answer_replicas = unit.answers;
    context.figures = unit.figures;
  }
  if (context.figures.capacity.at_slo <= Hertz()) return misses(world, context.figures);
  return context;
}

// The chips to choose from: the one asked for, the one the deployment names, or all candidates.
std::vector<const catalog::AcceleratorSpec*> chips_of(const FillQuestion& question,
                                                      const ServingWorld& world,
                                                      Diagnostics& diagnostics) {
  const SimulateSetup& setup = world.setup();
  if (!question.gpu.empty()) {
    const auto chip = setup.catalog->find_accelerator(question.gpu);
    if (chip) return {*chip};
    diagnostics.add(chip.error());
    return {};
  }
  std::vector<const catalog::AcceleratorSpec*> chips{setup.chip};
  const auto deployment = setup.ask().deployment.value_or(config::Deployment{});
  const bool is_named = deployment.pool.gpu || (deployment.decode && deployment.decode->gpu);
  if (is_named) return chips;
  for (const auto& name : setup.scenario.hardware) {
    const auto chip = setup.catalog->find_accelerator(name.value);
    if (chip && std::find(chips.begin(), chips.end(), *chip) == chips.end()) chips.push_back(*chip);
  }
  return chips;
}

// Rent of the least fleet of it that keeps the SLO; nothing where no rent is known.
std::optional<Dollars> cost_per_second(const FillContext& context) {
  const auto rent = context.rent();
  if (!rent) return std::nullopt;
  const int replicas = serving::replicas_for(
      context.world->demand().rates, context.figures.capacity, context.world->slo_quantile());
  return *rent * Gpus::from_base(static_cast<double>(replicas) * context.gpus_each()) *
         Seconds::from_base(1);
}

}  // namespace

SplitUnit split_unit(const ServingWorld& world, const serving::ReplicaPlan& prompts,
                     const serving::ReplicaPlan& answers, int prompt_replicas,
                     int answer_replicas) {
  const auto first = serving::measure_prompts(prompts, world.ask(), world.constants());
  const auto rest = serving::measure_answers(answers, world.ask(), world.constants());
  SplitUnit unit{prompt_replicas, answer_replicas, rest};
  const auto least = [&](Hertz a, Hertz b) {
    return std::min(a * static_cast<double>(prompt_replicas),
                    b * static_cast<double>(answer_replicas));
  };
  auto& capacity = unit.figures.capacity;
  capacity.saturated = least(first.capacity.saturated, rest.capacity.saturated);
  capacity.at_slo = least(first.capacity.at_slo, rest.capacity.at_slo);
  capacity.gpus = prompt_replicas * prompts.gpus() + answer_replicas * answers.gpus();
  unit.figures.ttft = first.ttft;
  unit.figures.idle_ttft = first.idle_ttft;
  unit.figures.latency = first.ttft + rest.latency;
  const bool prompts_bind = first.capacity.at_slo * static_cast<double>(prompt_replicas) <
                            rest.capacity.at_slo * static_cast<double>(answer_replicas);
  unit.figures.binding = prompts_bind ? first.binding : rest.binding;
  return unit;
}

std::optional<SplitUnit> best_split_unit(const ServingWorld& world,
                                         const serving::ReplicaPlan& prompts,
                                         const serving::ReplicaPlan& answers) {
  constexpr int kMost = 8;
  std::optional<SplitUnit> best;
  double most = 0;
  for (int all = 2; all <= kMost; ++all) {
    for (int first = 1; first < all; ++first) {
      const SplitUnit unit = split_unit(world, prompts, answers, first, all - first);
      const double each = unit.figures.capacity.at_slo.base() / unit.figures.capacity.gpus;
      if (each <= most * (1 + 1e-9)) continue;
      most = each;
      best = unit;
    }
  }
  return best;
}

std::optional<FillContext> choose_replica(const FillQuestion& question, ServingWorld& world,
                                          Diagnostics& diagnostics) {
  const auto chips = chips_of(question, world, diagnostics);
  std::optional<FillContext> best;
  std::optional<Dollars> least;
  std::vector<Notice> said;
  std::optional<Error> first_fault;
  const std::vector<Notice> before = world.setup().notices;
  for (const auto* chip : chips) {
    world.setup().notices = before;
    auto context = replica_on(world, *chip);
    if (!context) {
      if (!first_fault) first_fault = context.error();
      continue;
    }
    context->think_time = question.think_time;
    context->cost = price_chip(question.serving, world, chip->name);
    const auto cost = cost_per_second(*context);
    if (best && (!cost || (least && *cost >= *least))) continue;
    best = *std::move(context);
    least = cost;
    said = world.setup().notices;
  }
  if (!best) {
    if (first_fault) diagnostics.add(*std::move(first_fault));
    return std::nullopt;
  }
  world.setup().notices = said;
  world.setup().chip = best->plan.choice.chip;
  if (chips.size() > 1)
    world.setup().note("chosen-gpu",
                       fmt::format("{} chosen of {} candidates: the least rent within the SLO; "
                                   "--gpu names another",
                                   world.setup().chip->name, chips.size()));
  return best;
}

}  // namespace loadfactor::engine
