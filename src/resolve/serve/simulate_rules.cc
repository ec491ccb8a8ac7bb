// How a simulated deployment is run: routing, scaling, failures, transfers and time-outs.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "resolve/serve/simulate_setup.h"
#include "workload/kv_cache.h"

namespace loadfactor::engine {
namespace {

struct RouterWord {
  std::string_view word;
  serving::Routing routing;
};
constexpr std::array kRouters{RouterWord{"least-loaded", serving::Routing::kLeastLoaded},
                              RouterWord{"round-robin", serving::Routing::kRoundRobin},
                              RouterWord{"cache-aware", serving::Routing::kCacheAware},
                              RouterWord{"session", serving::Routing::kSessionAffinity}};

// A flag wins over the scenario.
bool choose_router(const SimulateSetup& setup, const SimulateInputs& request,
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

// Scaling counts ranks, and requests of a rank; scenarios and flags count replicas.
void set_scaling_bounds(int least, int most, int ranks, serving::ScalingRules& scaling) {
  scaling.min_replicas = least * ranks;
  scaling.max_replicas = most * ranks;
  for (std::int64_t* load :
       {&scaling.target_load, &scaling.scale_up_load, &scaling.scale_down_load})
    *load = std::max<std::int64_t>(1, *load / ranks);
}

void set_scaling(const config::ScalingSection& asked, int ranks, serving::ScalingRules& scaling) {
  scaling.scaling = asked.above ? serving::Scaling::kThreshold : serving::Scaling::kTarget;
  if (asked.target) scaling.target_load = asked.target->value;
  if (asked.above) scaling.scale_up_load = asked.above->value;
  if (asked.below) scaling.scale_down_load = asked.below->value;
  set_scaling_bounds(asked.least, asked.most, ranks, scaling);
  scaling.start_time = 180 * sim::kSecond;
  set_time(asked.interval, scaling.interval);
  set_time(asked.seen_after, scaling.scrape_delay);
  set_time(asked.cooldown, scaling.cooldown);
  set_time(asked.start, scaling.start_time);
  if (asked.provision || asked.load) {
    const auto ticks = [](const config::Given<Seconds>& part) {
      return part ? sim::ticks_of(part->value) : 0;
    };
    scaling.start_time = ticks(asked.provision) + ticks(asked.load);
  }
}

// What the scenario says about running the deployment; flags come after and win.
void set_operations(SimulateSetup& setup) {
  const config::Operations& asked = setup.operations();
  set_time(asked.timeout, setup.rules.groups.front().total_timeout);
  set_time(asked.first_token_timeout, setup.rules.groups.front().first_token_timeout);
  serving::GroupRules& group = setup.rules.groups.back();
  if (asked.scaling) set_scaling(*asked.scaling, setup.pools.back()->ranks(), group.scaling);
}

// A router that looks at what the demand does not have routes as the plain one does.
void confess_router(SimulateSetup& setup) {
  const serving::GroupRules& group = setup.rules.groups.front();
  const auto routing = group.router.routing;
  if (routing == serving::Routing::kSessionAffinity && setup.trace.session.empty())
    setup.note({.id = "idle-router", .arguments = {{"no_sessions", ""}}});
  if (routing == serving::Routing::kCacheAware && !group.scheduler.has_prefix_cache)
    setup.note({.id = "idle-router", .arguments = {{"no_prefixes", ""}}});
}

serving::GroupRules group_of(const SimulatedPool& pool) {
  serving::GroupRules group;
  group.scheduler = pool.scheduler;
  group.steps = pool.table.get();
  group.replicas = std::max(1, pool.replicas) * pool.layout().dp;
  group.gpus_per_replica = pool.layout().tp * pool.layout().pp * pool.layout().cp;
  return group;
}

// Time to move a KV block between pools: at the rate measured elsewhere, or as the scenario says.
void set_transfer(SimulateSetup& setup) {
  const SimulatedPool& pool = *setup.pools.front();
  const Bytes block = workload::kv_profile(*setup.model, pool.plan.memory_setup.kv).per_token() *
                      static_cast<double>(pool.scheduler.block_tokens);
  serving::TransferRules& transfer = setup.rules.groups.front().transfer.emplace();
  transfer.per_block_replica_link = sim::ticks_of(
      Seconds::from_base(block.base() / 1e9 * setup.constants[serving::Constant::kTransfer]));
  const auto& asked = setup.operations().transfer;
  if (!asked) return;
  if (asked->link) transfer.per_block_replica_link = sim::ticks_of(block / asked->link->value);
  if (asked->shared) transfer.per_block_shared_link = sim::ticks_of(block / asked->shared->value);
  set_time(asked->latency, transfer.latency);
}

}  // namespace

bool make_simulated_rules(SimulateSetup& setup, const SimulateInputs& request,
                          Diagnostics& diagnostics) {
  for (const auto& pool : setup.pools) {
    setup.rules.groups.push_back(group_of(*pool));
    if (!choose_router(setup, request, setup.rules.groups.back().router, diagnostics)) return false;
  }
  set_operations(setup);
  if (setup.pools.size() == 2) {
    setup.rules.groups.front().decode_group = 1;
    set_transfer(setup);
  }
  serving::GroupRules& first = setup.rules.groups.front();
  if (request.timeout) first.total_timeout = sim::ticks_of(*request.timeout);
  if (request.first_token_timeout)
    first.first_token_timeout = sim::ticks_of(*request.first_token_timeout);
  if (request.most_replicas > 0) {
    serving::ScalingRules& scaling = setup.rules.groups.back().scaling;
    scaling.scaling = serving::Scaling::kTarget;
    const int ranks = setup.pools.back()->ranks();
    scaling.target_load = request.target_load > 0 ? request.target_load : 32;
    set_scaling_bounds(std::min(setup.rules.groups.back().replicas / ranks, request.most_replicas),
                       request.most_replicas, ranks, scaling);
    scaling.start_time = sim::ticks_of(request.start_time);
  }
  if (setup.is_split() && setup.scales()) setup.note({.id = "scaled-pool"});
  if (const int ranks = setup.pools.back()->ranks(); ranks > 1 && setup.scales())
    setup.note({.id = "scaled-ranks", .arguments = {{"ranks", std::to_string(ranks)}}});
  confess_router(setup);
  return true;
}

bool add_simulated_failures(SimulateSetup& setup, Diagnostics& diagnostics) {
  const int ranks = setup.pools.back()->ranks();
  const int replicas = setup.rules.groups.back().replicas / ranks;
  for (const config::ReplicaFailure& failure : setup.operations().failures) {
    if (failure.replica > replicas) {
      diagnostics.add(setup.error(
          lf::kUnsoundRules, failure.position,
          fmt::format("replica {} cannot fail: {} {} at the start", failure.replica,
                      counted(replicas, "replica"), replicas == 1 ? "is there" : "are there"),
          fmt::format("replicas are counted from 1 to {}", replicas)));
      return false;
    }
    for (int i = 0; i < ranks; ++i)
      setup.rules.groups.back().failures.push_back({sim::ticks_of(failure.at),
                                                    (failure.replica - 1) * ranks + i,
                                                    sim::ticks_of(failure.repair)});
  }
  return true;
}

}  // namespace loadfactor::engine
