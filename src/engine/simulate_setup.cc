#include "engine/simulate_setup.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/override.h"
#include "engine/fit_setup.h"
#include "engine/serve_setup.h"
#include "engine/serve_site.h"
#include "serving/precision.h"
#include "serving/simulator/tabulate.h"
#include "serving/simulator/trace_arrivals.h"

namespace loadfactor::engine {
namespace {

using serving::Batching;
using serving::EngineEra;
using serving::Preemption;
using serving::SchedulerRules;

// Bounds of what a step table holds; more sequences or tokens change nothing we can see.
constexpr std::int64_t kMostSequences = 2048;
constexpr std::int64_t kMostTokens = 32768;
constexpr int kLargestBlock = 128;
constexpr int kMostTp = 8;

// The scheduler of an engine's generation.
void set_scheduling(EngineEra era, double reserve, SchedulerRules& rules) {
  switch (era) {
    case EngineEra::kVllmV0:
      rules.batching = Batching::kPrefillFirst;
      rules.watermark_blocks = rules.kv_blocks / 100;
      return;
    case EngineEra::kSglang:
      rules.batching = Batching::kPrefillFirst;
      rules.victims = serving::VictimOrder::kFewestGenerated;
      rules.reserve_permille = static_cast<int>(1000 * reserve);
      return;
    case EngineEra::kTensorRtStatic:
    case EngineEra::kTensorRtCpp:
    case EngineEra::kTensorRtPython:
    case EngineEra::kPlain:
      rules.preemption = Preemption::kReserve;
      return;
    default:
      return;
  }
}

// Swapping needs host memory; as much as the cache where nothing is said.
void set_preemption(const config::Operations& asked, SimulatedPool& pool) {
  if (!asked.preemption) return;
  if (asked.preemption->value == config::PreemptionWord::kRecompute) {
    pool.scheduler.preemption = Preemption::kRecompute;
    return;
  }
  const double block = pool.memory.stages.front().profile.per_token().base() *
                       static_cast<double>(pool.scheduler.block_tokens);
  pool.scheduler.preemption = Preemption::kSwap;
  pool.scheduler.host_blocks =
      asked.swap_space && block > 0
          ? static_cast<std::int64_t>(asked.swap_space->value.base() / block)
          : pool.scheduler.kv_blocks;
}

Error does_not_fit(const SimulateSetup& setup, const SimulatedPool& pool) {
  const auto& gpu = pool.memory.stages[pool.memory.tightest];
  return setup.error(lf::kDoesNotFit, setup.ask().position,
                     fmt::format("{} does not fit: weights take {} of the {} of a {}",
                                 setup.model->title, format_display(any(gpu.weights.total())),
                                 format_display(any(gpu.total)), setup.chip->title),
                     "raise deployment.tp, or choose a smaller precision");
}

class PoolMaker {
 public:
  PoolMaker(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics)
      : setup_(setup), request_(request), diagnostics_(diagnostics) {}

  bool make(const config::Pool& asked) {
    auto pool = std::make_unique<SimulatedPool>();
    if (!choose_formats(asked, *pool) || !choose_layout(asked, *pool)) return false;
    if (pool->kv_tokens < 1) {
      diagnostics_.add(does_not_fit(setup_, *pool));
      return false;
    }
    pool->replicas = asked.replicas ? asked.replicas->value : 0;
    if (!make_model(*pool)) return false;
    setup_.pools.push_back(std::move(pool));
    return true;
  }

 private:
  bool fail(const Error& error) {
    Error placed = setup_.error(error.code, setup_.ask().position, error.message, error.hint);
    diagnostics_.add(placed);
    return false;
  }

  bool choose_formats(const config::Pool& asked, SimulatedPool& pool) {
    const auto& word = setup_.ask().precision;
    precision_ = serving::choose_precision(word ? word->value : "", *setup_.model, *setup_.chip);
    const auto recipe = choose_recipe(word ? word->value : "", *setup_.model);
    if (!recipe) return fail(recipe.error());
    precision_.recipe = *recipe;
    const std::string kv = asked.kv ? asked.kv->value : "";
    if (!kv.empty() && kv != "auto") {
      const auto dtype = catalog::find_dtype(kv);
      if (!dtype)
        return fail(
            {.code = lf::kUnsupportedDtype, .message = fmt::format("no KV dtype '{}'", kv)});
      precision_.kernels.kv = *dtype;
    }
    const auto& traits = *setup_.traits;
    const std::int64_t seqs =
        asked.max_seqs ? asked.max_seqs->value : traits.max_sequences_on(*setup_.chip);
    const std::int64_t chunk = asked.chunk ? asked.chunk->value : traits.chunk_on(*setup_.chip);
    pool.scheduler.max_seqs = static_cast<int>(std::clamp<std::int64_t>(seqs, 1, kMostSequences));
    pool.scheduler.token_budget =
        static_cast<int>(std::clamp<std::int64_t>(chunk, pool.scheduler.max_seqs, kMostTokens));
    const int block = std::clamp(setup_.engine->memory.block, 1, kLargestBlock);
    pool.scheduler.block_tokens = static_cast<int>(std::bit_floor(static_cast<unsigned>(block)));
    return true;
  }

  // tp as written, or the least that leaves room for keys and values.
  bool choose_layout(const config::Pool& asked, SimulatedPool& pool) {
    const auto degree = [](const config::Given<int>& given) { return given ? given->value : 1; };
    serving::ServingLayout layout{.tp = degree(asked.tp),
                                  .pp = degree(asked.pp),
                                  .ep = degree(asked.ep),
                                  .dp = degree(asked.dp),
                                  .cp = degree(asked.cp)};
    if (asked.ep && !asked.dp && layout.ep > layout.tp) layout.dp = layout.ep / layout.tp;
    divide(layout, pool);
    while (!asked.tp && pool.kv_tokens < least_tokens(pool) && layout.tp < kMostTp) {
      layout.tp *= 2;
      divide(layout, pool);
    }
    if (!asked.tp)
      setup_.note("chosen-tp", fmt::format("tp {} chosen: the least that leaves room for keys and "
                                           "values; deployment.tp sets it",
                                           layout.tp));
    return true;
  }
  static std::int64_t least_tokens(const SimulatedPool& pool) {
    return 4 * static_cast<std::int64_t>(pool.scheduler.token_budget);
  }

  void divide(const serving::ServingLayout& layout, SimulatedPool& pool) {
    pool.layout = layout;
    serving::ServingSetup& m = pool.memory_setup;
    m.model = setup_.model;
    m.chip = setup_.chip;
    m.engine = setup_.engine;
    m.recipe = precision_.recipe;
    m.kv.kv = precision_.kernels.kv;
    const auto& fraction = setup_.operations().memory_fraction;
    m.memory_fraction = fraction ? fraction->value : setup_.traits->memory_fraction;
    m.batched_tokens = pool.scheduler.token_budget;
    m.max_sequences = pool.scheduler.max_seqs;
    pool.memory = serving::divide_memory(m, {.tp = layout.tp,
                                             .cp = layout.cp,
                                             .ep = layout.ep,
                                             .etp = layout.expert_tp(),
                                             .pp = layout.pp,
                                             .dp = layout.dp,
                                             .uneven = true});
    pool.kv_tokens = request_.kv_tokens > 0 ? request_.kv_tokens
                                            : serving::count_kv_tokens(m, pool.memory) / layout.dp;
    pool.kv_tokens =
        std::min<std::int64_t>(pool.kv_tokens, std::numeric_limits<std::int32_t>::max());
    pool.scheduler.kv_blocks = pool.kv_tokens / pool.scheduler.block_tokens;
  }

  bool make_model(SimulatedPool& pool) {
    const auto kernels = setup_.hardware->kernels(*setup_.chip);
    if (!kernels) return fail(kernels.error());
    const auto network = setup_.hardware->network(*setup_.chip, setup_.traits->one_shot);
    if (!network) return fail(network.error());
    pool.model = std::make_unique<serving::StepModel>(serving::ServingDeployment{
        setup_.model, setup_.chip, *kernels, *network, setup_.traits, precision_.kernels,
        pool.layout, false, speculation_of(setup_.operations()), adapters_of(setup_.operations())});
    pool.table = std::make_unique<sim::StepTable>(serving::tabulate_steps(
        *pool.model, setup_.constants, pool.scheduler.max_seqs, pool.scheduler.token_budget));
    pool.scheduler.max_context = setup_.model->context;
    const config::Operations& asked = setup_.operations();
    pool.scheduler.max_waiting = request_.max_waiting > 0 ? request_.max_waiting
                                 : asked.max_waiting      ? asked.max_waiting->value
                                                          : 0;
    pool.scheduler.has_prefix_cache =
        !setup_.trace.prefix_blocks.empty() || asked.prefix_hits.has_value();
    pool.scheduler.has_priorities = asked.urgent.has_value();
    set_scheduling(setup_.era, setup_.traits->reserve, pool.scheduler);
    set_preemption(asked, pool);
    return true;
  }

  SimulateSetup& setup_;
  const SimulateRequest& request_;
  Diagnostics& diagnostics_;
  serving::PrecisionChoice precision_;
};

struct RouterWord {
  std::string_view word;
  serving::Routing routing;
};
constexpr std::array kRouters{RouterWord{"least-loaded", serving::Routing::kLeastLoaded},
                              RouterWord{"round-robin", serving::Routing::kRoundRobin},
                              RouterWord{"cache-aware", serving::Routing::kCacheAware},
                              RouterWord{"session", serving::Routing::kSessionAffinity}};

// A flag wins over the scenario.
bool choose_router(const SimulateSetup& setup, const SimulateRequest& request,
                   serving::RouterRules& router, Diagnostics& diagnostics) {
  const auto& written = setup.operations().router;
  const std::string name = !request.router.empty() ? request.router : written ? written->value : "";
  if (name.empty()) return true;
  std::vector<std::string> words;
  for (const RouterWord& row : kRouters) {
    words.emplace_back(row.word);
    if (row.word != name) continue;
    router.routing = row.routing;
    return true;
  }
  const std::string message = fmt::format("no router '{}'", name);
  const std::string hint = fmt::format("one of: {}", fmt::join(words, ", "));
  if (request.router.empty() && written)
    diagnostics.add(setup.error(lf::kUnknownRouter, written->position, message, hint));
  else
    diagnostics.add(Error{.code = lf::kUnknownRouter, .message = message, .hint = hint});
  return false;
}

void set_time(const config::Given<Seconds>& given, sim::Ticks& time) {
  if (given) time = sim::ticks_of(given->value);
}

void set_scaling(const config::ScalingAsk& asked, serving::ScalingRules& scaling) {
  scaling.scaling = asked.above ? serving::Scaling::kThreshold : serving::Scaling::kTarget;
  scaling.min_replicas = asked.least;
  scaling.max_replicas = asked.most;
  if (asked.target) scaling.target_load = asked.target->value;
  if (asked.above) scaling.scale_up_load = asked.above->value;
  if (asked.below) scaling.scale_down_load = asked.below->value;
  scaling.start_time = 180 * sim::kSecond;
  set_time(asked.interval, scaling.interval);
  set_time(asked.seen_after, scaling.scrape_delay);
  set_time(asked.cooldown, scaling.cooldown);
  set_time(asked.start, scaling.start_time);
}

// What the scenario says about running the deployment; flags come after and win.
void set_operations(SimulateSetup& setup) {
  const config::Operations& asked = setup.operations();
  set_time(asked.timeout, setup.rules.total_timeout);
  set_time(asked.first_token_timeout, setup.rules.first_token_timeout);
  serving::GroupRules& group = setup.rules.groups.back();
  if (asked.scaling) set_scaling(*asked.scaling, group.scaling);
  for (const config::ReplicaFailure& failure : asked.failures)
    group.failures.push_back(
        {sim::ticks_of(failure.at), failure.replica - 1, sim::ticks_of(failure.repair)});
}

void set_limits(SimulateSetup& setup) {
  if (!setup.ask().slo) return;
  for (const auto& bound : setup.ask().slo->bounds) {
    sim::Ticks& limit = bound.metric == config::SloMetric::kTimeToFirstToken
                            ? setup.limits.first_token
                            : setup.limits.per_token;
    limit = sim::ticks_of(bound.most.value);  // The highest percentile comes last.
  }
}

serving::GroupRules group_of(const SimulatedPool& pool) {
  serving::GroupRules group;
  group.scheduler = pool.scheduler;
  group.steps = pool.table.get();
  group.replicas = std::max(1, pool.replicas) * pool.layout.dp;
  group.gpus_per_replica = pool.layout.tp * pool.layout.pp * pool.layout.cp;
  return group;
}

bool make_pools(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  const auto deployment = setup.ask().deployment.value_or(config::Deployment{});
  PoolMaker maker(setup, request, diagnostics);
  if (!deployment.prefill) return maker.make(deployment.pool);
  return maker.make(*deployment.prefill) && maker.make(*deployment.decode);
}

// Seconds to move a KV block between pools, at the rate of the scale-out link of one GPU.
void set_transfer(SimulateSetup& setup) {
  const SimulatedPool& pool = *setup.pools.front();
  const double bytes = pool.memory.stages.front().profile.per_token().base() *
                       pool.scheduler.block_tokens * pool.layout.pp;
  const double seconds = bytes / 1e9 * setup.constants[serving::Constant::kTransfer];
  setup.rules.transfer.per_block_replica_link = sim::ticks_of(Seconds::from_base(seconds));
}

bool make_rules(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  for (const auto& pool : setup.pools) {
    setup.rules.groups.push_back(group_of(*pool));
    if (!choose_router(setup, request, setup.rules.groups.back().router, diagnostics)) return false;
  }
  set_operations(setup);
  if (setup.pools.size() == 2) {
    setup.rules.groups.front().decode_group = 1;
    set_transfer(setup);
  }
  if (request.timeout) setup.rules.total_timeout = sim::ticks_of(*request.timeout);
  if (request.first_token_timeout)
    setup.rules.first_token_timeout = sim::ticks_of(*request.first_token_timeout);
  if (request.most_replicas > 0) {
    serving::ScalingRules& scaling = setup.rules.groups.back().scaling;
    scaling.scaling = serving::Scaling::kTarget;
    scaling.max_replicas = request.most_replicas;
    scaling.min_replicas = std::min(setup.rules.groups.back().replicas, request.most_replicas);
    scaling.target_load = request.target_load > 0 ? request.target_load : 32;
    scaling.start_time = sim::ticks_of(request.start_time);
  }
  return true;
}

}  // namespace

std::unique_ptr<SimulateSetup> make_simulate_setup(const SimulateRequest& request,
                                                   const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics) {
  auto document = config::parse_scenario(request.file, request.text, {}, diagnostics);
  if (!document) return nullptr;
  auto setup = std::make_unique<SimulateSetup>();
  setup->catalog = &catalog;
  setup->document = *std::move(document);
  auto scenario = config::read_scenario(setup->document, diagnostics);
  if (!scenario) return nullptr;
  setup->scenario = *std::move(scenario);
  if (!setup->scenario.serve) {
    diagnostics.add(setup->error(lf::kMissingKey, {}, "the scenario has no 'serve' section"));
    return nullptr;
  }
  const auto files = calibration_files(catalog);
  setup->calibration = serving::find_serving_calibration(files, diagnostics);
  setup->hardware = std::make_unique<serving::HardwareShelf>(catalog, files, diagnostics);
  if (!diagnostics.empty()) return nullptr;
  setup->constants = setup->calibration.values();
  if (!choose_simulated_model(*setup, request, diagnostics)) return nullptr;
  const auto site = find_serving_site(catalog, setup->chip->name, setup->era, diagnostics);
  if (site && site->runs > 0) setup->constants = site->apply(setup->constants, setup->era);
  if (!read_simulated_demand(*setup, request, diagnostics)) return nullptr;
  if (!make_pools(*setup, request, diagnostics)) return nullptr;
  if (!setup->trace.prefix_blocks.empty())
    serving::cut_prefixes(setup->trace, 512, setup->pools.front()->scheduler.block_tokens);
  if (!make_rules(*setup, request, diagnostics)) return nullptr;
  set_limits(*setup);
  setup->front = sim::ticks_of(
      Seconds::from_base(setup->constants.of(setup->era, serving::EngineConstant::kFront)));
  return setup;
}

}  // namespace loadfactor::engine
