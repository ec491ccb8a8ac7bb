// Small deployments and traffic with every policy switched on and off at random.
#pragma once

#include <bit>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "serving/simulator/policy.h"
#include "sim/arrivals.h"
#include "sim/step_table.h"

namespace loadfactor::serving::testing {

using Rng = std::mt19937_64;

inline std::int64_t pick(Rng& rng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(high - low + 1));
}
inline bool one_in(Rng& rng, std::uint64_t n) {
  return rng() % n == 0;
}

// Padded to powers of two, a step every 7, noise on everything; pieces that jump.
inline sim::StepTable random_table(Rng& rng, int max_seqs, int max_tokens) {
  sim::StepTable t{.max_seqs = max_seqs, .max_tokens = max_tokens};
  const Ticks base = pick(rng, 1, 12'000) * sim::kMicrosecond;
  const Ticks per_pad = pick(rng, 0, 40'000'000), per_token = pick(rng, 0, 110'000'000);
  for (int n = 0; n <= max_seqs; ++n) {
    const auto padded = static_cast<Ticks>(std::bit_ceil(static_cast<unsigned>(n + 1)));
    t.decode_base.push_back(base + padded * per_pad + (n / 7) * 3'333'333 + pick(rng, 0, 999));
    t.sequence_base.push_back(pick(rng, 0, 50'000'000));
  }
  for (int n = 0; n <= max_tokens; ++n)
    t.mixed_base.push_back(base + n * per_token + pick(rng, 0, 999'999));
  t.attention_row.push_back(0);
  for (int n = 0; n <= max_seqs; ++n) {
    std::int64_t from = 0;
    for (std::int64_t p = pick(rng, 1, 5); p > 0; --p, from += pick(rng, 1, 900))
      t.attention.push_back(
          {from, pick(rng, 0, 2'000'000'000), pick(rng, 0, 1) * pick(rng, 0, 300'000)});
    t.attention_row.push_back(static_cast<std::uint32_t>(t.attention.size()));
  }
  t.prefill = {{0, 0, pick(rng, 0, 20'000)}, {pick(rng, 1, 9'000), pick(rng, 0, 99'999'999), 777}};
  t.per_chunk = pick(rng, 0, 9'000'000);
  t.per_cached_token = pick(rng, 0, 90'000);
  t.per_swapped_block = pick(rng, 0, 9'000'000);
  return t;
}

struct RandomScenario {
  std::deque<sim::StepTable> tables;  // Groups point into it.
  ClusterRules rules;
  sim::ArrivalBatch arrivals;
};

// Then the budget may be below max_seqs.
inline bool bounds_prompts_alone(const SchedulerRules& s) {
  return s.batching == Batching::kPrefillFirst && s.kv_blocks % 3 == 0;
}

inline SchedulerRules random_scheduler(Rng& rng, bool keeps_lockstep, std::int64_t longest) {
  SchedulerRules s;
  s.max_seqs = static_cast<int>(pick(rng, 1, 24));
  s.token_budget = static_cast<int>(s.max_seqs + pick(rng, 0, one_in(rng, 3) ? 600 : 60));
  s.block_tokens = 1 << (one_in(rng, 3) ? pick(rng, 0, 6) : 4);
  const std::int64_t at_least = (longest + s.block_tokens - 1) / s.block_tokens;
  s.kv_blocks = at_least + pick(rng, 0, one_in(rng, 2) ? 4 : 3 * at_least);
  if (one_in(rng, 8)) s.kv_blocks = at_least / 2 + 1;  // Some requests can never fit.
  if (one_in(rng, 3)) s.watermark_blocks = pick(rng, 1, 6);
  if (one_in(rng, 5)) s.preemption = Preemption::kReserve;
  if (one_in(rng, 2)) s.has_prefix_cache = true;
  if (one_in(rng, 4)) s.max_waiting = pick(rng, 1, 8);
  if (one_in(rng, 6)) s.max_context = pick(rng, longest / 2, longest);
  if (keeps_lockstep) return s;
  if (one_in(rng, 2)) s.batching = Batching::kPrefillFirst;
  if (bounds_prompts_alone(s)) s.token_budget = std::max(1, s.token_budget - s.max_seqs);
  if (one_in(rng, 3)) s.preemption = Preemption::kSwap, s.host_blocks = pick(rng, 0, 3 * at_least);
  if (one_in(rng, 3)) s.victims = VictimOrder::kFewestGenerated;
  if (one_in(rng, 3)) s.reserve_permille = static_cast<int>(pick(rng, 1, 1000));
  if (one_in(rng, 3)) s.has_priorities = true;
  return s;
}

inline ScalingRules random_scaling(Rng& rng, Ticks scale) {
  ScalingRules s;
  s.scaling = one_in(rng, 2) ? Scaling::kThreshold : Scaling::kTarget;
  s.min_replicas = static_cast<int>(pick(rng, 0, 2));
  s.max_replicas = static_cast<int>(pick(rng, std::max(1, s.min_replicas), 5));
  s.interval = pick(rng, 1, 4) * scale;
  s.scrape_delay = pick(rng, 0, 2) * pick(rng, 0, 3) * scale;
  s.target_load = pick(rng, 1, 6);
  s.tolerance_permille = pick(rng, 0, 300);
  s.scale_up_load = pick(rng, 2, 6);
  s.scale_down_load = pick(rng, 0, 2);
  s.cooldown = pick(rng, 0, 5) * scale;
  s.start_time = pick(rng, 0, 3) * scale;
  return s;
}

inline void random_arrivals(Rng& rng, RandomScenario& s, std::int64_t prompt, std::int64_t output) {
  const std::int64_t spread = pick(rng, 0, 3) * pick(rng, 1, 400'000) * sim::kMicrosecond;
  sim::ArrivalBatch& a = s.arrivals;
  const bool has_sessions = one_in(rng, 2), has_priorities = one_in(rng, 2);
  Ticks t = 0;
  for (std::int64_t i = pick(rng, 1, 80); i > 0; --i) {
    if (rng() % 5 != 0 && spread > 0) t += pick(rng, 0, spread);  // Sometimes several at once.
    a.time.push_back(t);
    a.tokens_in.push_back(static_cast<std::int32_t>(pick(rng, 1, prompt)));
    a.tokens_out.push_back(static_cast<std::int32_t>(pick(rng, 1, output)));
    if (has_sessions) a.session.push_back(pick(rng, 0, 5));
    if (has_priorities) a.priority.push_back(static_cast<std::int32_t>(pick(rng, 0, 2)));
    if (s.rules.group_of_model.size() > 1)
      a.model.push_back(
          static_cast<std::int32_t>(pick(rng, 0, std::ssize(s.rules.group_of_model) - 1)));
    if (s.rules.clients_leave)
      a.patience.push_back(one_in(rng, 2) ? sim::kNever : pick(rng, 0, 4'000) * sim::kMillisecond);
  }
}

// Names by a few texts: requests of the same text share their first blocks.
inline void random_prefixes(Rng& rng, RandomScenario& s) {
  const int size = s.rules.groups[0].scheduler.block_tokens;
  const std::int64_t texts = pick(rng, 1, 5);
  for (std::size_t i = 0; i < s.arrivals.size(); ++i) {
    const std::int64_t text = pick(rng, 1, texts), fork = pick(rng, 0, 6), branch = pick(rng, 1, 3);
    const std::int64_t full = s.arrivals.tokens_in[i] / size;
    const std::int64_t named = one_in(rng, 4) ? pick(rng, 0, full) : full;
    for (std::int64_t b = 0; b < named; ++b) {
      const std::int64_t path = b < fork ? 0 : branch * 10 + fork;
      s.arrivals.prefix_blocks.push_back(
          static_cast<std::uint64_t>(text * 1'000'000 + path * 1'000 + b));
    }
    s.arrivals.prefix_end.push_back(static_cast<std::uint32_t>(s.arrivals.prefix_blocks.size()));
  }
}

inline void random_cluster(Rng& rng, RandomScenario& s, bool keeps_lockstep, std::int64_t longest) {
  const bool is_split = !keeps_lockstep && one_in(rng, 4);
  const std::int64_t groups = is_split || one_in(rng, 6) ? 2 : 1;
  const bool is_alone = one_in(rng, 3);
  const bool is_tight = groups == 2 && one_in(rng, 2);  // The pool has hardly room to scale.
  const Ticks scale = pick(rng, 1, one_in(rng, 2) ? 2'000 : 80) * sim::kMillisecond;
  for (std::int64_t g = 0; g < groups; ++g) {
    GroupRules group;
    group.scheduler = random_scheduler(rng, keeps_lockstep, longest);
    if (g > 0) group.scheduler.block_tokens = s.rules.groups[0].scheduler.block_tokens;
    const SchedulerRules& rules = group.scheduler;
    const int room = rules.token_budget + (bounds_prompts_alone(rules) ? rules.max_seqs : 0);
    s.tables.push_back(random_table(rng, rules.max_seqs, room));
    group.router.routing = static_cast<Routing>(pick(rng, 0, 3));
    group.router.load_weight = pick(rng, 0, 20);
    group.replicas = is_alone ? 1 : static_cast<int>(pick(rng, 1, 4));
    group.gpus_per_replica = static_cast<int>(pick(rng, 1, 2));
    if (is_tight && one_in(rng, 2)) group.replicas = 1;
    if (!is_alone && one_in(rng, is_tight ? 1 : 3)) group.scaling = random_scaling(rng, scale);
    for (std::int64_t f = one_in(rng, 4) ? pick(rng, 1, 3) : 0; f > 0; --f)
      group.failures.push_back({pick(rng, 0, 40) * scale,
                                static_cast<int>(pick(rng, 0, group.replicas - 1)),
                                one_in(rng, 9) ? sim::kNever : pick(rng, 0, 5) * scale});
    s.rules.groups.push_back(group);
  }
  for (std::size_t g = 0; g < s.rules.groups.size(); ++g) s.rules.groups[g].steps = &s.tables[g];
  if (is_split)
    s.rules.groups[0].decode_group = 1;
  else if (groups == 2)
    s.rules.group_of_model = {0, 1, 0};
  if (is_tight) {
    s.rules.pool_gpus = static_cast<int>(pick(rng, 0, 2));
    for (const GroupRules& g : s.rules.groups) s.rules.pool_gpus += g.replicas * g.gpus_per_replica;
  }
  const auto links = [&rng] {
    return TransferRules{pick(rng, 0, 3) * sim::kMillisecond, pick(rng, 0, 900) * sim::kMicrosecond,
                         pick(rng, 0, 900) * sim::kMicrosecond};
  };
  s.rules.transfer = links();
  if (one_in(rng, 3)) s.rules.groups.front().transfer = links();
}

// Depends on the seed alone.
inline RandomScenario random_scenario(std::uint64_t seed, bool keeps_lockstep) {
  Rng rng(seed);
  RandomScenario s;
  const std::int64_t prompt = pick(rng, 1, one_in(rng, 2) ? 90 : 700);
  const std::int64_t output = pick(rng, 1, one_in(rng, 2) ? 20 : 260);
  random_cluster(rng, s, keeps_lockstep, prompt + output);
  if (!keeps_lockstep) {
    const bool has_first = one_in(rng, 3), has_total = one_in(rng, 3);
    for (GroupRules& group : s.rules.groups) {
      if (has_first) group.first_token_timeout = pick(rng, 0, 3'000) * sim::kMillisecond;
      if (has_total) group.total_timeout = pick(rng, 0, 6'000) * sim::kMillisecond;
    }
    s.rules.clients_leave = one_in(rng, 3);
  }
  random_arrivals(rng, s, prompt, output);
  if (one_in(rng, 2)) random_prefixes(rng, s);
  for (GroupRules& group : s.rules.groups) group.scheduler.schedules_ahead = one_in(rng, 2);
  return s;
}

// Moves one arrival to (or one tick beside) a step boundary of the last run: the ties that a
// random clock never hits. What happened before does not depend on it, so that it is a tie.
inline void snap_one_arrival(Rng& rng, const std::vector<Ticks>& boundaries, sim::ArrivalBatch& a) {
  const std::size_t i = rng() % a.size();
  const Ticks from = i == 0 ? 0 : a.time[i - 1];
  std::vector<Ticks> inside;
  for (const Ticks t : boundaries)
    if (t > from && t < a.time[i]) inside.push_back(t);
  if (!inside.empty()) a.time[i] = inside[rng() % inside.size()] + pick(rng, -1, 1);
}

}  // namespace loadfactor::serving::testing
