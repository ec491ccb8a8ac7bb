// The demand of a scenario through its deployment, request by request.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/fleet_limit.h"
#include "engine/fleet_steps.h"
#include "engine/simulate_answer.h"
#include "engine/simulate_load.h"
#include "engine/simulate_setup.h"
#include "loadfactor/engine.h"
#include "serving/load_factor.h"

namespace loadfactor {
namespace {

using engine::SimulateSetup;
using serving::SimulationResult;

constexpr std::size_t kMostSpans = 200'000;
constexpr int kPoints = 240;  // Of the series.

// One replica of a pool as the closed form sees it.
serving::Pool closed_form_of(const SimulateSetup& setup, const engine::SimulatedPool& pool) {
  const double held = static_cast<double>(pool.kv_tokens) / (setup.mean_in + setup.mean_out);
  return {.step = pool.model.get(),
          .replicas = static_cast<double>(pool.layout.dp),
          .slots = std::clamp(held, 1.0, static_cast<double>(pool.scheduler.max_seqs)),
          .gpus = static_cast<double>(pool.layout.gpus()),
          .chunk = static_cast<double>(pool.scheduler.token_budget)};
}

// As many replicas as `fill` and `serve` take, where the scenario does not say. Pools apart are
// counted by their work alone.
void settle_replicas(SimulateSetup& setup, double saturated) {
  const bool is_split = setup.pools.size() > 1;
  for (std::size_t i = 0; i < setup.pools.size(); ++i) {
    auto& pool = *setup.pools[i];
    if (pool.replicas > 0) continue;
    const auto ask = engine::service_of(setup.ask(), setup.mean_in, setup.mean_out);
    serving::ReplicaCapacity replica{Hertz::from_base(saturated), Hertz::from_base(saturated), 1};
    if (!is_split)
      replica =
          serving::measure_capacity(closed_form_of(setup, pool), ask, setup.constants).capacity;
    const auto steps = engine::count_replicas(setup.rates, setup.rate, replica,
                                              is_split ? 1 : engine::slo_quantile(ask));
    pool.replicas = steps.slo;
    setup.rules.groups[i].replicas = pool.replicas * pool.layout.dp;
    setup.note(
        "chosen-replicas",
        fmt::format("{} chosen = {}, in closed form; deployment.replicas sets them, and --search "
                    "weighs other layouts and weeks",
                    counted(pool.replicas, "replica"), engine::words_of(steps)));
  }
}

bool is_allowed(const SimulateSetup& setup, Diagnostics& diagnostics) {
  engine::FleetSize fleet;
  for (const auto& pool : setup.pools) {
    fleet.replicas += pool->replicas;
    fleet.gpus += static_cast<double>(pool->replicas) * pool->layout.gpus();
  }
  auto fault = engine::find_fleet_fault(setup.document, setup.scenario, fleet);
  if (!fault) return true;
  diagnostics.add(*std::move(fault));
  return false;
}

bool is_sound(const SimulateSetup& setup, Diagnostics& diagnostics) {
  const std::string fault = find_fault(setup.rules);
  if (fault.empty()) return true;
  diagnostics.add(setup.error(lf::kUnsoundRules, setup.ask().position, fault));
  return false;
}

SimulationResult run(const SimulateSetup& setup, const SimulateRequest& request, double seconds) {
  serving::SimulationOptions options;
  options.limits = setup.limits;
  if (options.limits.first_token != sim::kNever)
    options.limits.first_token = std::max<sim::Ticks>(0, options.limits.first_token - setup.front);
  options.delivered_interval = 600 * sim::kSecond;
  options.sample_interval =
      std::max<sim::Ticks>(sim::kMillisecond, sim::ticks_of(Seconds::from_base(seconds / kPoints)));
  options.most_spans = request.keeps_trace ? kMostSpans : 0;
  if (request.plain) options.engine = serving::SimulatorKind::kPlain;
  const auto stream = setup.stream();
  return simulate(setup.rules, *stream, options);
}

}  // namespace

std::optional<SimulateAnswer> Engine::simulate(const SimulateRequest& request,
                                               Diagnostics& diagnostics) const {
  const auto setup = engine::make_simulate_setup(request, *catalog_, diagnostics);
  if (!setup || !is_sound(*setup, diagnostics)) return std::nullopt;
  const double saturated = engine::find_saturated_rate(*setup);
  if (saturated <= 0) {
    diagnostics.add(setup->error(lf::kNothingServed, setup->ask().demand->position,
                                 "no request fits: all are longer than the model's context or "
                                 "the KV cache of a replica",
                                 "shorten the requests, or give a replica more memory"));
    return std::nullopt;
  }
  settle_replicas(*setup, saturated);
  if (!is_allowed(*setup, diagnostics)) return std::nullopt;
  const double count = static_cast<double>(setup->has_trace() ? std::ssize(setup->trace.time)
                                                              : setup->poisson.count);
  const SimulationResult result = run(*setup, request, setup->rate > 0 ? count / setup->rate : 1);
  SimulateAnswer answer = engine::describe_simulation(*setup, request, result);
  answer.saturated_rate = Hertz::from_base(saturated);
  const auto slo = engine::find_slo_rate(*setup, saturated);
  if (slo && *slo <= 0) {
    diagnostics.add(
        setup->error(lf::kSloOutOfReach, setup->ask().slo->position,
                     "the objectives are out of reach: a replica with next to no load misses them",
                     "raise them, or use more tp, a narrower precision or a faster GPU"));
    return std::nullopt;
  }
  if (slo) answer.slo_rate = Hertz::from_base(*slo);
  engine::add_load(*setup, result, answer);
  std::move(setup->notices.begin(), setup->notices.end(), std::back_inserter(answer.notices));
  return answer;
}

}  // namespace loadfactor
