// Which chip and which replica a fleet is made of.
#include <algorithm>
#include <utility>

#include "base/quantity_text.h"
#include "engine/fill/fill.h"
#include "engine/fill/sizing.h"
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
  TRY(context.plan, world.replica(Side::kDecode, chip));
  context.figures = world.capacity(context.plan);
  if (service.is_split()) {
    TRY(context.prompts, world.replica(Side::kPrefill, chip));
    context.prompt_replicas = count_of(service.asked_pool(Side::kPrefill).replicas);
    context.answer_replicas = count_of(service.asked_pool(Side::kDecode).replicas);
    context.figures = split_unit(world, *context.prompts, context.plan, context.prompt_replicas,
                                 context.answer_replicas)
                          .figures;
  } else {
    context.units = count_of(service.asked_pool(Side::kDecode).replicas);
  }
  if (auto fault = find_slo_fault(service, context.figures)) return *std::move(fault);
  return context;
}

// What as many of them as are written cost in the cheapest way to pay; nothing where no price is
// known.
std::optional<DollarsPerSecond> cost_of(const FillContext& context) {
  if (!context.cost) return std::nullopt;
  const Hertz full = context.figures.capacity.saturated * static_cast<double>(context.units);
  const double load =
      full > Hertz() ? std::min(1.0, context.world->demand().mean() / full.base()) : 0;
  std::optional<DollarsPerSecond> least;
  for (const GpuPrice& price : prices_of(*context.cost)) {
    const DollarsPerSecond cost = (price.fixed + price.working * load) *
                                  static_cast<double>(context.units * context.gpus_each());
    if (!least || cost < *least) least = cost;
  }
  return least;
}

}  // namespace

SplitUnit split_unit(const ServingWorld& world, const serving::ReplicaPlan& prompts,
                     const serving::ReplicaPlan& answers, int prompt_replicas,
                     int answer_replicas) {
  return {prompt_replicas, answer_replicas,
          serving::measure_unit(prompts, prompt_replicas, answers, answer_replicas, world.ask(),
                                world.constants(*answers.choice.chip))};
}

std::optional<SplitUnit> best_split_unit(const ServingWorld& world,
                                         const serving::ReplicaPlan& prompts,
                                         const serving::ReplicaPlan& answers) {
  constexpr int kMaxReplicas = 8;
  std::optional<SplitUnit> best;
  double most = 0;
  for (int all = 2; all <= kMaxReplicas; ++all) {
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
std::optional<FillContext> written_context(const FillInputs& question, ServingWorld& world,
                                           Diagnostics& diagnostics) {
  const auto chips = world.candidates(question.gpu, diagnostics);
  std::optional<FillContext> best;
  std::optional<DollarsPerSecond> least;
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
    const auto cost = cost_of(*context);
    if (best && (!cost || (least && *cost >= *least))) continue;
    best = *std::move(context);
    least = cost;
    said = world.service().notices;
  }
  if (!best && first_fault) diagnostics.add(*std::move(first_fault));
  if (!best || !diagnostics.empty()) return std::nullopt;
  world.service().notices = said;
  if (chips.size() > 1) world.service().forget("first-accelerator");
  if (chips.size() > 1)
    world.service().note({.id = "chosen-gpu",
                          .arguments = {{"accelerator", best->plan.choice.chip->name},
                                        {"candidates", std::to_string(chips.size())}}});
  return best;
}

// A replica of one side of a deployment that the search found.
Result<serving::ReplicaPlan> plan_of(ServingWorld& world, Side side,
                                     const catalog::AcceleratorSpec& chip,
                                     const DeploymentRow& row) {
  TRY(auto choice, replica_on(world.service(), side, chip));
  choice.layout = side == Side::kPrefill ? row.prompt_layout : row.layout;
  if (row.prompt_replicas == 0) {
    choice.max_seqs = row.max_seqs;
    choice.chunk = row.chunk;
  }
  return world.plan(choice);
}

// The fleet of a row: so many replicas, or one unit of both pools.
Result<FillContext> context_of(const DeploymentRow& row, ServingWorld& world) {
  FillContext context{.world = &world};
  TRY(const auto* chip, world.service().catalog->find_accelerator(row.accelerator));
  TRY(context.plan, plan_of(world, Side::kDecode, *chip, row));
  if (row.prompt_replicas == 0) {
    context.figures = world.capacity(context.plan);
    context.units = row.replicas;
    return context;
  }
  TRY(context.prompts, plan_of(world, Side::kPrefill, *chip, row));
  context.prompt_replicas = row.prompt_replicas;
  context.answer_replicas = row.replicas;
  context.figures =
      split_unit(world, *context.prompts, context.plan, row.prompt_replicas, row.replicas).figures;
  return context;
}

// How the search comes to the replicas of its answer.
std::vector<Notice::Argument> size_of(const SizeAnswer& found) {
  const DeploymentRow& row = found.rows[found.chosen];
  const auto notice = std::find_if(found.notices.begin(), found.notices.end(),
                                   [](const Notice& each) { return each.id == "fleet"; });
  if (found.chosen == 0 && notice != found.notices.end()) return notice->arguments;
  return {{"replicas", format_count(row.replicas + row.prompt_replicas)}};
}

// The fleet that `serve --search` and `plan` choose.
std::optional<FillContext> sized_context(const FillInputs& question, ServingWorld& world,
                                         Diagnostics& diagnostics) {
  ServingInputs serving = question.serving;
  serving.models = world.service().models;
  const auto found = size_service(
      {.serving = serving, .gpu = question.gpu, .confirm = kConfirmed, .relaxed = false},
      *world.service().catalog, diagnostics);
  if (!found) return std::nullopt;
  auto context = context_of(found->rows[found->chosen], world);
  if (!context) {
    diagnostics.add(context.error());
    return std::nullopt;
  }
  const auto& chosen = context->plan.choice;
  context->cost = price_chip(question.serving, world, chosen.chip->name, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  context->is_sized = true;
  context->size = size_of(*found);
  world.service().note(
      {.id = "chosen-layout",
       .arguments = {{"layout", layout_words(chosen.layout)}, {"accelerator", chosen.chip->name}}});
  return *std::move(context);
}

}  // namespace

std::optional<FillContext> choose_context(const FillInputs& question, ServingWorld& world,
                                          Diagnostics& diagnostics) {
  const Service& service = world.service();
  // Replicas that are written are a fleet that is there: all else of it is as written, too.
  const config::Pool pool = service.asked_pool(Side::kDecode);
  const bool is_written = pool.replicas && (pool.tp || service.is_split());
  auto context = is_written ? written_context(question, world, diagnostics)
                            : sized_context(question, world, diagnostics);
  if (!context) return std::nullopt;
  context->think_time = question.think_time;
  world.service().chip = context->plan.choice.chip;
  return context;
}

}  // namespace loadfactor::engine
