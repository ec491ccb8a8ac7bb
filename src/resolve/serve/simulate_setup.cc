#include "resolve/serve/simulate_setup.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "resolve/serve/service_layout.h"
#include "serving/cache_block.h"
#include "serving/simulator/engine_rules.h"
#include "serving/simulator/tabulate.h"
#include "serving/simulator/trace_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::EngineConstant;
using serving::Preemption;
using serving::SchedulerRules;

// Bounds of what a step table holds; more sequences or tokens change nothing we can see.
constexpr std::int64_t kMostSequences = 2048;
constexpr std::int64_t kMostTokens = 32768;

// Swapping needs host memory; as much as the cache where nothing is said.
void set_preemption(const config::Operations& asked, SimulatedPool& pool) {
  if (!asked.preemption) return;
  if (asked.preemption->value == config::PreemptionWord::kRecompute) {
    pool.scheduler.preemption = Preemption::kRecompute;
    return;
  }
  const double block = pool.plan.memory.stages.front().profile.per_token().base() *
                       static_cast<double>(pool.scheduler.block_tokens);
  pool.scheduler.preemption = Preemption::kSwap;
  pool.scheduler.host_blocks =
      asked.swap_space && block > 0
          ? static_cast<std::int64_t>(asked.swap_space->value.base() / block)
          : pool.scheduler.kv_blocks;
}

void confess_bound(SimulateSetup& setup, const char* name, std::int64_t asked, std::int64_t used) {
  if (asked == used) return;
  setup.note(
      {.id = "bounded",
       .arguments = {{"key", name}, {"asked", format_count(asked)}, {"used", format_count(used)}}});
}

void set_batching(SimulateSetup& setup, const config::Pool& asked, SimulatedPool& pool) {
  const auto within = [](std::int64_t value, std::int64_t most) {
    return static_cast<int>(std::clamp<std::int64_t>(value, 1, most));
  };
  pool.scheduler.block_tokens = serving::cache_block(*setup.engine);
  pool.scheduler.max_seqs = within(pool.plan.max_seqs, kMostSequences);
  pool.scheduler.token_budget = within(pool.plan.chunk, kMostTokens);
  if (asked.max_seqs) confess_bound(setup, "max_seqs", pool.plan.max_seqs, pool.scheduler.max_seqs);
  if (asked.chunk) confess_bound(setup, "chunk", pool.plan.chunk, pool.scheduler.token_budget);
}

void set_cache(const SimulateSetup& setup, const SimulateInputs& request, SimulatedPool& pool) {
  constexpr double kMostTokensOfARank = std::numeric_limits<std::int32_t>::max();
  if (request.kv_tokens > 0) pool.plan.kv_measured = request.kv_tokens;
  pool.kv_tokens = std::min<std::int64_t>(pool.plan.kv_measured.value_or(pool.plan.kv_tokens),
                                          std::numeric_limits<std::int32_t>::max());
  const double each = setup.mean_in + pool.plan.choice.traits->reserve * setup.mean_out;
  pool.room = std::min(pool.plan.room(each), kMostTokensOfARank);
  pool.scheduler.kv_blocks = static_cast<std::int64_t>(pool.room) / pool.scheduler.block_tokens;
}

void set_rules(const SimulateSetup& setup, const SimulateInputs& request, SimulatedPool& pool) {
  const config::Operations& asked = setup.operations();
  // A model that writes nothing is done when its text is read: the token that ends it has no place.
  const std::int64_t unread = setup.model->generates() || setup.model->context <= 0 ? 0 : 1;
  pool.scheduler.max_context = setup.model->context + unread;
  pool.scheduler.max_waiting = request.max_waiting > 0 ? request.max_waiting
                               : asked.max_waiting     ? asked.max_waiting->value
                                                       : 0;
  pool.scheduler.has_prefix_cache =
      !setup.trace.prefix_blocks.empty() || asked.prefix_hits.has_value();
  pool.scheduler.has_priorities = asked.urgent && asked.urgent->value > 0;
  serving::set_engine_rules(*pool.plan.choice.traits, pool.scheduler);
  set_preemption(asked, pool);
}

bool make_pool(SimulateSetup& setup, Side side, const SimulateInputs& request,
               Diagnostics& diagnostics) {
  auto plan = choose_replica(setup, side, setup.chip_of(side), setup.promise);
  if (!plan) return diagnostics.add(plan.error()), false;
  const config::Pool asked = setup.asked_pool(side);
  auto pool = std::make_unique<SimulatedPool>();
  pool->plan = *std::move(plan);
  pool->replicas = asked.replicas ? asked.replicas->value : 0;
  set_batching(setup, asked, *pool);
  set_cache(setup, request, *pool);
  pool->table = std::make_unique<sim::StepTable>(serving::tabulate_steps(
      *pool->plan.step, setup.constants_on(setup.chip_of(side)), pool->scheduler.max_seqs,
      pool->scheduler.token_budget, request.pace));
  set_rules(setup, request, *pool);
  setup.pools.push_back(std::move(pool));
  return true;
}

void set_limits(SimulateSetup& setup) {
  if (!setup.ask().slo) return;
  for (const auto& bound : setup.ask().slo->bounds) {
    sim::Ticks& limit = bound.metric == config::SloMetric::kTimeToFirstToken
                            ? setup.limits.first_token
                        : bound.metric == config::SloMetric::kWholeRequest ? setup.limits.whole
                                                                           : setup.limits.per_token;
    limit = sim::ticks_of(bound.most.value);  // The highest percentile comes last.
  }
}

bool make_pools(SimulateSetup& setup, const SimulateInputs& request, Diagnostics& diagnostics) {
  if (setup.is_split() && !make_pool(setup, Side::kPrefill, request, diagnostics)) return false;
  return make_pool(setup, Side::kDecode, request, diagnostics);
}

// A step of the table takes its prompts through the stages side by side. One prompt goes through
// them one after the other: what that adds to the first token of a prompt of the mean length.
double stage_delay(const SimulateSetup& setup, const SimulatedPool& pool) {
  const int stages = pool.layout().pp;
  if (stages <= 1) return 0;
  const double tokens = std::min(setup.mean_in, static_cast<double>(pool.scheduler.token_budget));
  const auto pass = [&](double prompt) {
    return pool.plan.step
        ->duration({.prompt_tokens = prompt, .chunk = tokens, .finishing = 1},
                   setup.constants_on(*pool.plan.choice.chip))
        .base();
  };
  return std::max(0.0, pass(tokens * stages) - pass(tokens));
}

std::unique_ptr<SimulateSetup> read_simulated_scenario(const SimulateInputs& request,
                                                       const catalog::Catalog& catalog,
                                                       Diagnostics& diagnostics) {
  auto setup = std::make_unique<SimulateSetup>();
  setup->catalog = &catalog;
  setup->scenario = request.scenario;
  if (!check_serves(*setup, diagnostics)) return nullptr;
  return setup;
}

// Batches that nobody joins are not what the simulator steps through.
bool can_simulate(const SimulateSetup& setup, Diagnostics& diagnostics) {
  if (!setup.traits->whole_batches) return true;
  diagnostics.add(setup.error(
      lf::kUnsoundRules, setup.ask().deployment->engine->position,
      fmt::format("{} is not simulated: the next batch waits for the whole one before, and the "
                  "simulator lets requests join at every step",
                  setup.engine->title),
      "`serve` without --simulate has its closed form; or name an engine such as vllm"));
  return false;
}

// Everything that a model's own part of the scenario decides.
bool set_up(SimulateSetup& setup, const SimulateInputs& request, Diagnostics& diagnostics) {
  setup.models = read_serving_models(*setup.catalog, diagnostics);
  if (!setup.models) return false;
  if (!resolve_service(setup, setup.files.model_files, diagnostics)) return false;
  if (!can_simulate(setup, diagnostics)) return false;
  if (!request.pace_source.empty())
    setup.note({.id = "anchored",
                .arguments = {{"factor", fmt::format("{:.3f}", request.pace)},
                              {"run", request.pace_source}}});
  setup.notices.insert(setup.notices.end(), request.pace_notices.begin(),
                       request.pace_notices.end());
  if (!read_simulated_demand(setup, request, diagnostics)) return false;
  setup.promise = service_of(setup, setup.mean_in, setup.mean_out);
  if (!make_pools(setup, request, diagnostics)) return false;
  if (!make_simulated_rules(setup, request, diagnostics)) return false;
  set_limits(setup);
  setup.front = sim::ticks_of(
      Seconds::from_base(setup.constants.of(setup.traits->index, EngineConstant::kFront) +
                         stage_delay(setup, *setup.pools.front())));
  return true;
}

// One pool has one kind of GPU.
bool share_one_chip(const SimulateSetup& first, const SimulateSetup& other,
                    Diagnostics& diagnostics) {
  if (first.chip == other.chip) return true;
  diagnostics.add(
      other.error(lf::kContradictoryKeys, other.ask().position,
                  fmt::format("models on one pool have one kind of GPU: {} here, {} before",
                              other.chip->name, first.chip->name),
                  "give each kind of GPU a scenario of its own"));
  return false;
}

}  // namespace

std::vector<std::unique_ptr<SimulateSetup>> make_simulate_setups(const SimulateInputs& request,
                                                                 const catalog::Catalog& catalog,
                                                                 Diagnostics& diagnostics) {
  std::vector<std::unique_ptr<SimulateSetup>> setups;
  std::size_t count = 1;
  for (std::size_t i = 0; i < count; ++i) {
    auto setup = read_simulated_scenario(request, catalog, diagnostics);
    if (!setup) return {};
    auto& ask = *setup->scenario.serve;
    count = 1 + ask.others.size();
    setup->seed = request.seed + i;
    setup->files = request.files;
    setup->stop = request.stop;
    if (i > 0) {
      setup->files = i <= request.other_files.size() ? request.other_files[i - 1] : SimulateFiles{};
      setup->scenario.serve = config::ServeSection(ask.others[i - 1]);
    }
    if (!set_up(*setup, request, diagnostics)) return {};
    if (i > 0 && !share_one_chip(*setups.front(), *setup, diagnostics)) return {};
    setups.push_back(std::move(setup));
  }
  return setups;
}

}  // namespace loadfactor::engine
