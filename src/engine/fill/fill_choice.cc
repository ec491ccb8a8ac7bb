// Which chip and which replica a fleet is made of.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/fill/fill.h"
#include "engine/fill/serve_search.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/service_layout.h"
#include "serving/split_plan.h"

namespace loadfactor::engine {
namespace {

int count_of(const config::Given<int>& given) {
  return given ? given->value : 1;
}

// The replica, or the unit of both pools, of one chip as the scenario has it, or why there is none.
Result<FillContext> context_on(ServingWorld& world, const catalog::AcceleratorSpec& chip) {
  Service& service = world.service();
  FillContext context{.world = &world};
  TRY(context.plan, world.replica(Side::kAnswers, chip));
  context.figures = world.capacity(context.plan);
  if (service.is_split()) {
    TRY(context.prompts, world.replica(Side::kPrompts, chip));
    context.prompt_replicas = count_of(service.asked_pool(Side::kPrompts).replicas);
    context.answer_replicas = count_of(service.asked_pool(Side::kAnswers).replicas);
    context.figures = split_unit(world, *context.prompts, context.plan, context.prompt_replicas,
                                 context.answer_replicas)
                          .figures;
  }
  if (auto fault = find_slo_fault(service, context.figures)) return *std::move(fault);
  return context;
}

// Rent of the least fleet of it that keeps the SLO; nothing where no rent is known.
std::optional<Dollars> cost_per_second(const FillContext& context) {
  const auto rent = context.rent();
  if (!rent) return std::nullopt;
  const int replicas = fleet_for(context.world->demand().rates, context.figures.capacity,
                                 context.world->slo_quantile());
  return *rent * Gpus::from_base(static_cast<double>(replicas) * context.gpus_each()) *
         Seconds::from_base(1);
}

}  // namespace

SplitUnit split_unit(const ServingWorld& world, const serving::ReplicaPlan& prompts,
                     const serving::ReplicaPlan& answers, int prompt_replicas,
                     int answer_replicas) {
  return {prompt_replicas, answer_replicas,
          serving::measure_unit(prompts, prompt_replicas, answers, answer_replicas, world.ask(),
                                world.constants())};
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

namespace {

// The deployment that the scenario writes, on the candidate that costs least.
std::optional<FillContext> written_context(const FillQuestion& question, ServingWorld& world,
                                           Diagnostics& diagnostics) {
  const auto chips = world.candidates(question.gpu, diagnostics);
  std::optional<FillContext> best;
  std::optional<Dollars> least;
  std::vector<Notice> said;
  std::optional<Error> first_fault;
  const std::vector<Notice> before = world.service().notices;
  for (const auto* chip : chips) {
    world.service().notices = before;
    auto context = context_on(world, *chip);
    if (!context) {
      if (!first_fault) first_fault = context.error();
      continue;
    }
    context->cost = price_chip(question.serving, world, chip->name, diagnostics);
    const auto cost = cost_per_second(*context);
    if (best && (!cost || (least && *cost >= *least))) continue;
    best = *std::move(context);
    least = cost;
    said = world.service().notices;
  }
  if (!best && first_fault) diagnostics.add(*std::move(first_fault));
  if (!best || !diagnostics.empty()) return std::nullopt;
  world.service().notices = said;
  if (chips.size() > 1)
    world.service().note("chosen-gpu",
                         fmt::format("{} chosen of {} candidates: the least rent within the SLO; "
                                     "--gpu names another",
                                     best->plan.choice.chip->name, chips.size()));
  return best;
}

// A replica of the search as a context.
Result<FillContext> context_of(const DeploymentRow& row, ServingWorld& world) {
  FillContext context{.world = &world};
  TRY(const auto* chip, world.service().catalog->find_accelerator(row.accelerator));
  TRY(auto choice, world.choice(*chip, "", row.layout));
  choice.max_seqs = row.max_seqs;
  choice.chunk = row.chunk;
  TRY(context.plan, world.plan(choice));
  context.figures = world.capacity(context.plan);
  return context;
}

// The replica that serves the demand most cheaply, as `serve --search` finds it in closed form.
std::optional<FillContext> searched_context(const FillQuestion& question, ServingWorld& world,
                                            Diagnostics& diagnostics) {
  ServingQuestion serving = question.serving;
  serving.models = world.service().models;
  const auto found =
      search_deployment({.serving = serving, .gpu = question.gpu, .confirm = 0, .relaxed = false},
                        *world.service().catalog, diagnostics);
  if (!found) return std::nullopt;
  auto context = context_of(found->rows.front(), world);
  if (!context) {
    diagnostics.add(context.error());
    return std::nullopt;
  }
  const auto& chosen = context->plan.choice;
  context->cost = price_chip(question.serving, world, chosen.chip->name, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  world.service().note(
      "chosen-layout",
      fmt::format("{} of {} chosen: the cheapest within the SLO, as `serve --search` weighs them; "
                  "deployment.tp and --gpu set others",
                  layout_words(chosen.layout), chosen.chip->name));
  return *std::move(context);
}

}  // namespace

std::optional<FillContext> choose_context(const FillQuestion& question, ServingWorld& world,
                                          Diagnostics& diagnostics) {
  const config::Pool pool = world.service().asked_pool(Side::kAnswers);
  const bool is_written = pool.tp || pool.replicas || world.service().is_split();
  auto context = is_written ? written_context(question, world, diagnostics)
                            : searched_context(question, world, diagnostics);
  if (!context) return std::nullopt;
  context->think_time = question.think_time;
  world.service().chip = context->plan.choice.chip;
  return context;
}

}  // namespace loadfactor::engine
