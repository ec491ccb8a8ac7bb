#include "resolve/serve/simulate_setup.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/serve_batch.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/serve_site.h"
#include "serving/cache_block.h"
#include "serving/generation.h"
#include "serving/precision.h"
#include "serving/simulator/engine_rules.h"
#include "serving/simulator/tabulate.h"
#include "serving/simulator/trace_arrivals.h"
#include "serving/worthwhile.h"

namespace loadfactor::engine {
namespace {

using serving::EngineConstant;
using serving::Preemption;
using serving::SchedulerRules;

// Bounds of what a step table holds; more sequences or tokens change nothing we can see.
constexpr std::int64_t kMostSequences = 2048;
constexpr std::int64_t kMostTokens = 32768;
constexpr int kMostTp = 8;

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
                                 format_display(any(gpu.total)), pool.chip->title),
                     lowered_fraction(setup.operations(), *setup.engine)
                         .value_or("raise deployment.tp, or choose a smaller precision"));
}

class PoolMaker {
 public:
  PoolMaker(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics)
      : setup_(setup), request_(request), diagnostics_(diagnostics) {}

  bool make(const config::Pool& asked) {
    auto pool = std::make_unique<SimulatedPool>();
    if (!choose_chip(asked, *pool)) return false;
    if (!choose_formats(asked, *pool)) return false;
    if (!check_tp(*setup_.model, asked.tp) || !check_cut(asked)) return false;
    choose_layout(asked, *pool);
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

  // The pool's own, where it names one, else the deployment's.
  bool choose_chip(const config::Pool& asked, SimulatedPool& pool) {
    pool.chip = setup_.chip;
    const auto& deployment = setup_.ask().deployment;
    const auto named = asked.gpu || !deployment ? asked.gpu : deployment->pool.gpu;
    if (!named) return true;
    const auto found = setup_.catalog->find_accelerator(named->value);
    if (!found) {
      const Error& error = found.error();
      Error placed = setup_.error(error.code, named->position, error.message, error.hint);
      placed.notes = error.notes;
      diagnostics_.add(placed);
      return false;
    }
    pool.chip = *found;
    return true;
  }

  void confess_bound(const char* name, std::int64_t asked, std::int64_t used) {
    if (asked == used) return;
    setup_.note("bounded",
                fmt::format("{} {} is simulated as {}: more changes nothing that can be seen", name,
                            format_count(asked), format_count(used)),
                Severity::kCaution);
  }

  bool choose_formats(const config::Pool& asked, SimulatedPool& pool) {
    const auto& word = setup_.ask().precision;
    const auto chosen = engine::choose_formats(word ? word->value : "", *setup_.model, *pool.chip);
    if (!chosen) return fail(chosen.error());
    precision_ = *chosen;
    if (auto words = missing_arithmetic(*chosen->recipe, *pool.chip))
      setup_.note("no-arithmetic", *std::move(words), Severity::kCaution);
    const std::string kv = asked.kv ? asked.kv->value : "";
    if (!kv.empty() && kv != "auto") {
      const auto dtype = catalog::find_dtype(kv);
      if (!dtype)
        return fail(
            {.code = lf::kUnsupportedDtype, .message = fmt::format("no KV dtype '{}'", kv)});
      precision_.kernels.kv = *dtype;
    }
    pool.scheduler.block_tokens = serving::cache_block(*setup_.engine);
    return choose_limits(asked, pool);
  }

  bool choose_limits(const config::Pool& asked, SimulatedPool& pool) {
    const auto limits =
        choose_batch(asked, *setup_.engine, *setup_.traits, *pool.chip, setup_.operations());
    if (!limits) {
      diagnostics_.add(setup_.error(
          limits.error().code, asked.max_seqs ? asked.max_seqs->position : setup_.ask().position,
          limits.error().message, limits.error().hint));
      return false;
    }
    if (auto words = lowered_words(*limits)) setup_.note("lowered-max-seqs", *std::move(words));
    const auto [chunk, seqs] = std::pair(limits->chunk, limits->max_sequences);
    pool.scheduler.max_seqs = static_cast<int>(std::clamp<std::int64_t>(seqs, 1, kMostSequences));
    pool.scheduler.token_budget = static_cast<int>(std::clamp<std::int64_t>(chunk, 1, kMostTokens));
    if (asked.max_seqs) confess_bound("max_seqs", seqs, pool.scheduler.max_seqs);
    if (asked.chunk) confess_bound("chunk", chunk, pool.scheduler.token_budget);
    return true;
  }

  // LF102 where tp splits no heads; a notice where it copies key-value heads.
  bool check_tp(const catalog::ModelSpec& model, const config::Given<int>& tp) {
    const auto fault = find_head_fault(model, tp ? tp->value : 1);
    if (fault.message.empty()) return true;
    if (fault.code == 0) {
      setup_.note("copied-kv-heads", fault.message, Severity::kCaution);
      return true;
    }
    diagnostics_.add(setup_.error(fault.code, tp->position, fault.message, fault.hint));
    return false;
  }

  static serving::ServingLayout written_layout(const config::Pool& asked) {
    const auto degree = [](const config::Given<int>& given) { return given ? given->value : 1; };
    serving::ServingLayout layout{.tp = degree(asked.tp),
                                  .pp = degree(asked.pp),
                                  .ep = degree(asked.ep),
                                  .dp = degree(asked.dp),
                                  .cp = degree(asked.cp)};
    if (asked.ep && !asked.dp && layout.ep > layout.tp) layout.dp = layout.ep / layout.tp;
    return layout;
  }
  bool check_cut(const config::Pool& asked) {
    const auto layout = written_layout(asked);
    const auto fault = find_cut_fault(*setup_.model, layout);
    if (fault.code == 0) return true;
    const auto& given = layout.pp > setup_.model->num_layers() ? asked.pp : asked.ep;
    diagnostics_.add(setup_.error(fault.code, given ? given->position : setup_.ask().position,
                                  fault.message, fault.hint));
    return false;
  }

  // tp as written, or the least that leaves room for keys and values.
  void choose_layout(const config::Pool& asked, SimulatedPool& pool) {
    serving::ServingLayout layout = written_layout(asked);
    divide(layout, pool);
    while (!asked.tp && pool.kv_tokens < least_tokens(pool) && layout.tp < kMostTp) {
      layout.tp *= 2;
      divide(layout, pool);
    }
    if (!asked.tp) setup_.note("chosen-tp", serving::chosen_tp_words(layout.tp));
  }
  std::int64_t least_tokens(const SimulatedPool& pool) const {
    return serving::worthwhile_cache(pool.scheduler.token_budget, setup_.mean_in + setup_.mean_out);
  }

  void divide(const serving::ServingLayout& layout, SimulatedPool& pool) {
    pool.layout = layout;
    serving::ServingSetup& m = pool.memory_setup;
    m.model = setup_.model;
    m.chip = pool.chip;
    m.engine = setup_.engine;
    m.recipe = precision_.recipe;
    m.kv.kv = precision_.kernels.kv;
    const auto& fraction = setup_.operations().memory_fraction;
    m.memory_fraction = fraction ? fraction->value : setup_.engine->memory.fraction;
    m.batched_tokens = pool.scheduler.token_budget;
    m.max_sequences = pool.scheduler.max_seqs;
    pool.memory = serving::divide_memory(m, {.tp = layout.tp,
                                             .cp = layout.cp,
                                             .ep = layout.ep,
                                             .etp = layout.expert_tp(),
                                             .pp = layout.pp,
                                             .dp = layout.dp,
                                             .uneven = true});
    set_cache(pool);
  }
  void set_cache(SimulatedPool& pool) const {
    const std::int64_t held =
        serving::count_kv_tokens(pool.memory_setup, pool.memory) / pool.layout.dp;
    pool.kv_tokens = std::min<std::int64_t>(request_.kv_tokens > 0 ? request_.kv_tokens : held,
                                            std::numeric_limits<std::int32_t>::max());
    const double each = setup_.mean_in + setup_.traits->reserve * setup_.mean_out;
    pool.room = std::min(static_cast<double>(pool.kv_tokens) * pool.memory.stretch(each),
                         double{std::numeric_limits<std::int32_t>::max()});
    pool.scheduler.kv_blocks = static_cast<std::int64_t>(pool.room) / pool.scheduler.block_tokens;
  }

  // The adapters' own weights leave less for keys and values.
  bool take_adapters(SimulatedPool& pool) {
    const Bytes adapters = pool.model->adapter_bytes();
    if (adapters <= Bytes() || request_.kv_tokens > 0) return true;
    pool.memory.take(adapters);
    set_cache(pool);
    if (pool.kv_tokens > 0) return true;
    return fail(adapters_fault(adapters));
  }

  bool make_model(SimulatedPool& pool) {
    const auto kernels = setup_.hardware->kernels(*pool.chip);
    if (!kernels) return fail(kernels.error());
    const auto network = setup_.hardware->network(*pool.chip, setup_.traits->one_shot);
    if (!network) return fail(network.error());
    pool.model = std::make_unique<serving::StepModel>(serving::ServingDeployment{
        setup_.model, pool.chip, *kernels, *network, setup_.traits, precision_.kernels, pool.layout,
        false, speculation_of(setup_.operations()), adapters_of(setup_.operations())});
    if (!take_adapters(pool)) return false;
    pool.table = std::make_unique<sim::StepTable>(
        serving::tabulate_steps(*pool.model, setup_.constants, pool.scheduler.max_seqs,
                                pool.scheduler.token_budget, request_.pace));
    pool.scheduler.max_context = setup_.model->context;
    const config::Operations& asked = setup_.operations();
    pool.scheduler.max_waiting = request_.max_waiting > 0 ? request_.max_waiting
                                 : asked.max_waiting      ? asked.max_waiting->value
                                                          : 0;
    pool.scheduler.has_prefix_cache =
        !setup_.trace.prefix_blocks.empty() || asked.prefix_hits.has_value();
    pool.scheduler.has_priorities = asked.urgent && asked.urgent->value > 0;
    serving::set_engine_rules(*setup_.traits, pool.scheduler);
    set_preemption(asked, pool);
    return true;
  }

  SimulateSetup& setup_;
  const SimulateRequest& request_;
  Diagnostics& diagnostics_;
  serving::PrecisionChoice precision_;
};

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

bool make_pools(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  const auto deployment = setup.ask().deployment.value_or(config::Deployment{});
  PoolMaker maker(setup, request, diagnostics);
  if (!deployment.prefill) return maker.make(deployment.pool);
  return maker.make(*deployment.prefill) && maker.make(*deployment.decode);
}

// A step of the table takes its prompts through the stages side by side. One prompt goes through
// them one after the other: what that adds to the first token of a prompt of the mean length.
double stage_delay(const SimulateSetup& setup, const SimulatedPool& pool) {
  const int stages = pool.layout.pp;
  if (stages <= 1) return 0;
  const double tokens = std::min(setup.mean_in, static_cast<double>(pool.scheduler.token_budget));
  const auto pass = [&](double prompt) {
    return pool.model->seconds({.prompt_tokens = prompt, .chunk = tokens, .finishing = 1},
                               setup.constants);
  };
  return std::max(0.0, pass(tokens * stages) - pass(tokens));
}

std::unique_ptr<SimulateSetup> read_simulated_scenario(const SimulateRequest& request,
                                                       const catalog::Catalog& catalog,
                                                       Diagnostics& diagnostics) {
  auto setup = std::make_unique<SimulateSetup>();
  setup->catalog = &catalog;
  setup->scenario = request.scenario;
  if (!setup->scenario.serve) {
    diagnostics.add(setup->error(lf::kMissingKey, {}, "the scenario has no 'serve' section"));
    return nullptr;
  }
  return setup;
}

// Everything that a model's own part of the scenario decides.
bool set_up(SimulateSetup& setup, const SimulateRequest& request, Diagnostics& diagnostics) {
  const auto files = calibration_files(*setup.catalog);
  setup.calibration =
      serving::find_serving_calibration(files, setup.catalog->generations(), diagnostics);
  setup.hardware = std::make_unique<serving::HardwareShelf>(*setup.catalog, files, diagnostics);
  if (!diagnostics.empty()) return false;
  setup.constants = setup.calibration.values();
  if (!choose_simulated_model(setup, diagnostics)) return false;
  const auto site = find_serving_site(*setup.catalog, setup.chip->name, *setup.traits, diagnostics);
  if (site && site->runs > 0) setup.constants = site->apply(setup.constants, *setup.traits);
  if (!request.pace_source.empty())
    setup.note("anchored", fmt::format("every step is scaled by {:.3f}, from one measured run ({})",
                                       request.pace, request.pace_source));
  setup.notices.insert(setup.notices.end(), request.pace_notices.begin(),
                       request.pace_notices.end());
  if (!read_simulated_demand(setup, request, diagnostics)) return false;
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

std::vector<std::unique_ptr<SimulateSetup>> make_simulate_setups(const SimulateRequest& request,
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
    if (i > 0) {
      setup->files = i <= request.other_files.size() ? request.other_files[i - 1] : SimulateFiles{};
      setup->scenario.serve = config::ServeAsk(ask.others[i - 1]);
    }
    if (!set_up(*setup, request, diagnostics)) return {};
    if (i > 0 && !share_one_chip(*setups.front(), *setup, diagnostics)) return {};
    setups.push_back(std::move(setup));
  }
  return setups;
}

}  // namespace loadfactor::engine
