// Does each policy act in the random scenarios? One is taken away at a time; in how many
// scenarios does the outcome of a request change then?
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serving/simulator/simulation.h"
#include "serving/testing/random_scenario.h"
#include "sim/recorded_arrivals.h"

namespace loadfactor::serving {
namespace {

using testing::RandomScenario;

// Takes a policy away; returns whether it was there.
struct Policy {
  std::string name;
  std::function<bool(ClusterRules&)> remove;
};

template <typename T>
bool replace(T& value, T other) {
  const bool changes = value != other;
  value = other;
  return changes;
}

// A policy of one group: taken away from each that has it.
Policy of_groups(std::string name, std::function<bool(GroupRules&)> remove) {
  return {std::move(name), [remove](ClusterRules& rules) {
            bool was_there = false;
            for (GroupRules& group : rules.groups) was_there = remove(group) || was_there;
            return was_there;
          }};
}

bool swap_word(auto& word, auto from, auto to) {
  return word == from && replace(word, to);
}

std::vector<Policy> scheduler_policies() {
  return {
      of_groups("running requests first",
                [](GroupRules& g) {
                  return swap_word(g.scheduler.batching, Batching::kMixed, Batching::kPrefillFirst);
                }),
      of_groups("prompts first",
                [](GroupRules& g) {
                  return swap_word(g.scheduler.batching, Batching::kPrefillFirst, Batching::kMixed);
                }),
      of_groups(
          "chunk budget",
          [](GroupRules& g) { return replace(g.scheduler.token_budget, g.scheduler.max_seqs); }),
      of_groups(
          "watermark",
          [](GroupRules& g) { return replace(g.scheduler.watermark_blocks, std::int64_t{0}); }),
      of_groups("preemption by recomputing",
                [](GroupRules& g) {
                  return swap_word(g.scheduler.preemption, Preemption::kRecompute,
                                   Preemption::kReserve);
                }),
      of_groups("preemption by swapping",
                [](GroupRules& g) {
                  return swap_word(g.scheduler.preemption, Preemption::kSwap,
                                   Preemption::kRecompute);
                }),
      of_groups("room for the whole answer",
                [](GroupRules& g) {
                  return swap_word(g.scheduler.preemption, Preemption::kReserve,
                                   Preemption::kRecompute);
                }),
      of_groups("room for a share of the answers",
                [](GroupRules& g) { return replace(g.scheduler.reserve_permille, 0); }),
      of_groups(
          "fewest tokens out go first",
          [](GroupRules& g) { return replace(g.scheduler.victims, VictimOrder::kLastAdmitted); }),
      of_groups("most sequences",
                [](GroupRules& g) {
                  return replace(g.scheduler.max_seqs, std::max(1, g.scheduler.max_seqs / 2));
                }),
      of_groups("priorities",
                [](GroupRules& g) { return replace(g.scheduler.has_priorities, false); }),
      of_groups("prefix cache",
                [](GroupRules& g) { return replace(g.scheduler.has_prefix_cache, false); }),
      of_groups("steps settled ahead",
                [](GroupRules& g) { return replace(g.scheduler.schedules_ahead, false); }),
      of_groups("bound on the queue",
                [](GroupRules& g) { return replace(g.scheduler.max_waiting, std::int64_t{0}); }),
      of_groups("longest context",
                [](GroupRules& g) { return replace(g.scheduler.max_context, std::int64_t{0}); }),
  };
}

Policy router(std::string name, Routing routing) {
  const Routing other =
      routing == Routing::kLeastLoaded ? Routing::kRoundRobin : Routing::kLeastLoaded;
  return of_groups(std::move(name), [=](GroupRules& g) {
    return g.replicas > 1 && swap_word(g.router.routing, routing, other);
  });
}

Policy scaling(std::string name, std::function<bool(ScalingRules&)> remove) {
  return of_groups(std::move(name), [remove](GroupRules& g) {
    return g.scaling.scaling != Scaling::kFixed && remove(g.scaling);
  });
}

TransferRules& links_of(ClusterRules& rules) {
  auto& own = rules.groups.front().transfer;
  return own ? *own : rules.transfer;
}

std::vector<Policy> deployment_policies() {
  return {
      router("round robin", Routing::kRoundRobin),
      router("least loaded", Routing::kLeastLoaded),
      router("cache-aware", Routing::kCacheAware),
      router("session", Routing::kSessionAffinity),
      scaling("scaling by a band",
              [](ScalingRules& s) {
                return swap_word(s.scaling, Scaling::kThreshold, Scaling::kFixed);
              }),
      scaling(
          "scaling to a target",
          [](ScalingRules& s) { return swap_word(s.scaling, Scaling::kTarget, Scaling::kFixed); }),
      scaling("delay before a load is seen",
              [](ScalingRules& s) { return replace(s.scrape_delay, Ticks{0}); }),
      scaling("time to start a replica",
              [](ScalingRules& s) { return replace(s.start_time, Ticks{0}); }),
      scaling("cooldown", [](ScalingRules& s) { return replace(s.cooldown, Ticks{0}); }),
      scaling("down to zero",
              [](ScalingRules& s) { return s.min_replicas == 0 && replace(s.min_replicas, 1); }),
      of_groups("failures",
                [](GroupRules& g) {
                  const bool fails = !g.failures.empty();
                  g.failures.clear();
                  return fails;
                }),
      of_groups("recovery",
                [](GroupRules& g) {
                  bool recovers = false;
                  for (Failure& f : g.failures)
                    recovers = replace(f.repair, sim::kNever) || recovers;
                  return recovers;
                }),
      of_groups("time-out of the first token",
                [](GroupRules& g) { return replace(g.first_token_timeout, sim::kNever); }),
      of_groups("time-out of the request",
                [](GroupRules& g) { return replace(g.total_timeout, sim::kNever); }),
      {"clients that leave", [](ClusterRules& r) { return replace(r.clients_leave, false); }},
      {"prefill and decode apart",
       [](ClusterRules& r) { return replace(r.groups.front().decode_group, -1); }},
      {"links of the replicas",
       [](ClusterRules& r) {
         return r.groups.front().decode_group >= 0 &&
                replace(links_of(r).per_block_replica_link, Ticks{0});
       }},
      {"link shared by all",
       [](ClusterRules& r) {
         return r.groups.front().decode_group >= 0 &&
                replace(links_of(r).per_block_shared_link, Ticks{0});
       }},
      {"several models",
       [](ClusterRules& r) {
         if (r.group_of_model.size() < 2) return false;
         r.group_of_model.assign(r.group_of_model.size(), 0);
         return true;
       }},
      {"bound of the pool", [](ClusterRules& r) { return replace(r.pool_gpus, 0); }},
  };
}

std::vector<RequestOutcome> outcomes(const RandomScenario& scenario, const ClusterRules& rules) {
  sim::ArrivalBatch batch = scenario.arrivals;
  if (!rules.clients_leave) batch.patience.clear();
  sim::RecordedArrivals arrivals(batch);
  return simulate(rules, arrivals, {.keeps_log = true, .engine = SimulatorKind::kPlain}).outcomes;
}

bool differ(const std::vector<RequestOutcome>& a, const std::vector<RequestOutcome>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].first != b[i].first || a[i].end != b[i].end || a[i].outcome != b[i].outcome)
      return true;
  return false;
}

TEST(PolicyReachTest, EveryPolicyChangesTheOutcomeOfManyRandomScenarios) {
  std::vector<Policy> policies = scheduler_policies();
  for (Policy& policy : deployment_policies()) policies.push_back(std::move(policy));
  constexpr std::uint64_t kSeeds = 2600;  // Those of the comparison with the reference.
  std::vector<int> there(policies.size()), acted(policies.size());
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RandomScenario scenario = testing::random_scenario(seed + 1'000'000, false);
    const auto right = outcomes(scenario, scenario.rules);
    for (std::size_t p = 0; p < policies.size(); ++p) {
      ClusterRules rules = scenario.rules;
      if (!policies[p].remove(rules)) continue;
      ++there[p];
      acted[p] += differ(right, outcomes(scenario, rules)) ? 1 : 0;
    }
  }
  for (std::size_t p = 0; p < policies.size(); ++p) {
    std::cout << fmt::format("{:<34} on in {:>5}, acts in {:>5} of {} scenarios\n",
                             policies[p].name, there[p], acted[p], kSeeds);
    EXPECT_GE(acted[p], 20) << policies[p].name;
  }
}

}  // namespace
}  // namespace loadfactor::serving
