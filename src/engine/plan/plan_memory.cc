#include "engine/plan/plan_memory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/used_fact.h"

namespace loadfactor::engine {
namespace {

constexpr double kNoGain = 0.005;

RateLimit limit_of(const serving::CapacityFigures& figures) {
  if (figures.binding == serving::RateBinding::kNextToken) return RateLimit::kNextToken;
  return figures.binding == serving::RateBinding::kFirstToken ? RateLimit::kFirstToken
                                                              : RateLimit::kArithmetic;
}

// Replicas for the same peak when each takes `gain` more.
int replicas_with(const FillAnswer& fill, double gain) {
  const double needed = fill.load.replicas_needed;
  const double saved = std::ceil(needed - 1e-9) - std::ceil(needed / (1 + gain) - 1e-9);
  return std::max(1, fill.units - static_cast<int>(saved));
}

MemoryLever memory_lever(const Core& engine, const ServingFacts& facts, std::string tier,
                         double gain) {
  const int replicas = replicas_with(facts.fill, gain);
  MemoryLever lever{.tier = std::move(tier),
                    .gain = gain,
                    .replicas = replicas,
                    .gpus = facts.row.gpus / facts.row.replicas * replicas,
                    .replicas_now = facts.fill.units,
                    .gpus_now = facts.row.gpus};
  if (replicas == facts.fill.units) return lever;
  DeploymentRow row = facts.row;
  row.gpus = lever.gpus;
  row.replicas = replicas;
  lever.priced = price_deployment(engine, facts.question, row);
  return lever;
}

void add_tier_levers(const Core& engine, const ServingFacts& facts, ServingWorld& world,
                     const serving::ReplicaPlan& plan, PlanAnswer& answer) {
  const auto base = world.capacity(plan);
  if (base.capacity.at_slo <= Hertz()) return;
  const Seconds tpot = facts.found.ask.tpot > Seconds() ? facts.found.ask.tpot : base.tpot;
  bool changes = false;
  for (const auto& tier : memory_tiers(engine.catalog(), *plan.choice.chip)) {
    serving::ReplicaPlan larger = plan;
    larger.kv_measured =
        plan.kv_tokens + static_cast<std::int64_t>(streamed_tokens(tier, plan, tpot.base()));
    const double gain = world.capacity(larger).capacity.at_slo / base.capacity.at_slo - 1;
    if (gain < kNoGain) continue;
    changes = true;
    answer.levers.push_back({memory_lever(engine, facts, tier.name, gain)});
    answer.facts.push_back(tier.fact);
  }
  if (!changes) answer.levers.push_back({MemoryChangesNothing{limit_of(base)}});
}

struct SplitFleet {
  SplitUnit unit;
  int gpus = 0;
};

// The fewest GPUs that take the peak with prompts and answers apart, of the same layout.
std::optional<SplitFleet> smallest_split(const ServingWorld& world,
                                         const serving::ReplicaPlan& plan, double peak) {
  constexpr int kMostReplicas = 8;
  std::optional<SplitFleet> best;
  for (int all = 2; all <= kMostReplicas; ++all) {
    for (int prompts = 1; prompts < all; ++prompts) {
      const SplitUnit unit = split_unit(world, plan, plan, prompts, all - prompts);
      const double rate = unit.figures.capacity.at_slo.base();
      if (rate <= 0) continue;
      const int gpus = static_cast<int>(std::ceil(peak / rate - 1e-9)) * unit.figures.capacity.gpus;
      if (!best || gpus < best->gpus) best = {unit, gpus};
    }
  }
  return best;
}

void add_split_lever(const ServingFacts& facts, const ServingWorld& world,
                     const serving::ReplicaPlan& plan, PlanAnswer& answer) {
  const double needed = facts.fill.load.replicas_needed;
  const double peak = needed * facts.fill.replica.capacity.at_slo.base();
  if (peak <= 0) return;
  const auto split = smallest_split(world, plan, peak);
  if (!split) return;
  const int together = plan.gpus() * static_cast<int>(std::ceil(needed - 1e-9));
  answer.levers.push_back({SplitPoolsLever{.gpus = split->gpus,
                                           .prompt_replicas = split->unit.prompts,
                                           .answer_replicas = split->unit.answers,
                                           .gpus_together = together,
                                           .gpus_now = facts.row.gpus}});
}

}  // namespace

std::vector<MemoryTier> memory_tiers(const catalog::Catalog& catalog,
                                     const catalog::AcceleratorSpec& chip) {
  if (!chip.host) return {};
  std::vector<MemoryTier> tiers;
  MemoryTier host{.name = "host memory", .bandwidth = chip.host->bandwidth, .room = {}, .fact = {}};
  const auto node = catalog.find_node(chip.node);
  if (node && (*node)->host && (*node)->gpus > 0) {
    host.room = (*node)->host->memory / static_cast<double>((*node)->gpus);
    host.fact = catalog::used_fact("host memory", (*node)->name, (*node)->host->provenance);
    tiers.push_back(host);
  }
  const catalog::FabricSpec* best = nullptr;
  for (const auto& fabric : catalog.fabrics()) {
    const bool fits =
        fabric.role == catalog::FabricRole::kMemory && fabric.bandwidth <= chip.host->bandwidth;
    if (fits && (best == nullptr || fabric.bandwidth >= best->bandwidth)) best = &fabric;
  }
  if (best != nullptr)
    tiers.push_back({.name = fmt::format("CXL memory ({})", best->name),
                     .bandwidth = best->bandwidth * best->achieved_fraction.value_or(1.0),
                     .room = {},
                     .fact = catalog::used_fact("links", best->name, best->bandwidth_provenance)});
  return tiers;
}

double streamed_tokens(const MemoryTier& tier, const serving::ReplicaPlan& plan, double tpot) {
  if (plan.kv_per_token <= Bytes()) return 0;
  Bytes bytes = Bytes::from_base(tier.bandwidth.base() * tpot);
  if (tier.room > Bytes()) bytes = std::min(bytes, tier.room);
  return bytes * plan.gpus() / (plan.kv_per_token * plan.choice.layout.dp);
}

void add_memory_levers(const Core& engine, const ServingFacts& facts, PlanAnswer& answer) {
  // The closed form below is that of replicas which compute prompts and answers together.
  if (!answer.priced || facts.row.prompt_replicas > 0) return;
  ServingInputs question = facts.question.serving;
  question.scenario = answer.priced->scenario;
  Diagnostics unread;
  const auto world = ServingWorld::create(question, engine.catalog(), unread);
  if (!world) return;
  const auto plan = world->replica(Side::kDecode, *world->service().chip);
  if (!plan || !plan->fits()) return;
  add_tier_levers(engine, facts, *world, *plan, answer);
  add_split_lever(facts, *world, *plan, answer);
}

}  // namespace loadfactor::engine
