// What an operator can choose about a simulated deployment: scheduler, cache, routing, scaling.
//
// Everything is an integer or a word, so that two simulators can agree to the last tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/step_table.h"
#include "sim/ticks.h"

namespace loadfactor::serving {

using sim::Ticks;

// Which work shares a step.
enum class Batching : std::uint8_t {
  kMixed,         // Decodes and pieces of prompts share a token budget: vLLM V1, TensorRT-LLM.
  kPrefillFirst,  // Prompts run alone, and before decodes: SGLang, vLLM V0.
};

// What happens when decoding finds no free KV block.
enum class Preemption : std::uint8_t {
  kRecompute,  // The victim's blocks are dropped; prompt and tokens so far are computed again.
  kSwap,       // The victim's blocks go to host memory while that has room; else kRecompute.
  kReserve,    // Cannot happen: a request is admitted only with room for its whole answer.
};

enum class VictimOrder : std::uint8_t {
  kLastAdmitted,
  kFewestGenerated,  // The one with the fewest tokens out; the longest prompt among equals.
};

// The rules of one replica's scheduler.
struct SchedulerRules {
  // Tokens in a step, at least max_seqs; of its prompts alone where those run alone.
  int token_budget = 2048;
  int max_seqs = 256;
  std::int64_t kv_blocks = 0;
  int block_tokens = 16;              // A power of two, at most 128.
  std::int64_t watermark_blocks = 0;  // Left free by admissions, unless the replica is empty.
  Batching batching = Batching::kMixed;
  Preemption preemption = Preemption::kRecompute;
  VictimOrder victims = VictimOrder::kLastAdmitted;
  int reserve_permille = 0;      // Share of the answers still to come that admissions keep free.
  std::int64_t host_blocks = 0;  // Room for kSwap.
  bool has_priorities = false;   // Lower numbers go first and are preempted last.
  bool has_prefix_cache = false;
  // A step is settled while the one before it runs: who comes meanwhile is in the one after it.
  bool schedules_ahead = false;
  std::int64_t max_waiting = 0;  // Arrivals beyond are turned away; 0: never.
  std::int64_t max_context = 0;  // Tokens in and out of a request, else turned away; 0: any.
};

enum class Routing : std::uint8_t {
  kRoundRobin,
  kLeastLoaded,      // Fewest requests outstanding; the lowest index among equals.
  kCacheAware,       // Least of prompt blocks to compute + load_weight * outstanding.
  kSessionAffinity,  // A session stays with its replica; without a session, the least loaded.
};

struct RouterRules {
  Routing routing = Routing::kLeastLoaded;
  std::int64_t load_weight = 16;
};

enum class Scaling : std::uint8_t {
  kFixed,
  kThreshold,  // One replica more or fewer when the load per replica leaves a band.
  kTarget,     // Brings the load per replica to a target, as an HPA does.
};

// `load` is requests outstanding, those without a replica included.
struct ScalingRules {
  Scaling scaling = Scaling::kFixed;
  int min_replicas = 1;  // With 0 an idle group stops; the next request starts a replica.
  int max_replicas = 1;
  Ticks interval = 15 * sim::kSecond;  // Between two decisions.
  Ticks scrape_delay = 0;              // The load that is seen is at least this old.
  std::int64_t target_load = 32;       // Load per replica that kTarget aims at.
  std::int64_t tolerance_permille = 100;
  std::int64_t scale_up_load = 48;  // Load per replica above which kThreshold adds one.
  std::int64_t scale_down_load = 8;
  Ticks cooldown = 60 * sim::kSecond;  // No scaling down this soon after any change.
  Ticks start_time = 0;                // Provisioning and loading the model.
};

// A replica stops at once, loses its KV cache, and is back after `repair`.
struct Failure {
  Ticks time = 0;
  int replica = 0;  // Within its group, from 0.
  Ticks repair = 0;
};

// KV blocks from prefill to decode replicas: one link out of each, one into each, one between.
// A transfer holds its three links from a common start, each for its own time, and arrives when
// the slowest is done. First come, first served. The blocks stay taken where they come from until
// then; whoever needs room there waits.
struct TransferRules {
  Ticks latency = 0;
  Ticks per_block_replica_link = 0;
  Ticks per_block_shared_link = 0;
};

// Replicas of one model that look alike, and how requests reach them.
struct GroupRules {
  SchedulerRules scheduler;
  const sim::StepTable* steps = nullptr;
  RouterRules router;
  ScalingRules scaling;
  int replicas = 1;  // Replicas at the start.
  int gpus_per_replica = 1;
  std::vector<Failure> failures;  // Ascending in time.
  // The group that decodes what this one only prefills; -1: this group does both.
  int decode_group = -1;
  std::optional<TransferRules> transfer =
      {};                                   // How its KV blocks travel; empty: as in the cluster.
  Ticks first_token_timeout = sim::kNever;  // Cancelled if no token came by then.
  Ticks total_timeout = sim::kNever;
};

struct ClusterRules {
  std::vector<GroupRules> groups;
  std::vector<int> group_of_model{0};  // Where requests of a model go.
  int pool_gpus = 0;                   // Shared by all groups; 0: no bound.
  TransferRules transfer;
  bool clients_leave = false;  // Requests have a patience of their own.
};

// Groups that serve the same requests (prompts here, answers there) are one service, numbered in
// the order of the groups. Returns the service of each group.
std::vector<std::size_t> services_of(const ClusterRules& rules);

// Whether the skip-ahead engine can run these rules exactly; if not, the plain one must.
bool keeps_lockstep(const ClusterRules& rules);
// What stands against that.
enum class LockstepFault : std::uint8_t {
  kNone,
  kSplitPools,
  kPromptsAlone,
  kSwapping,
  kVictimsByTokens,
  kPriorities,
  kForeseenAnswers,
  kTimeouts,
  kClientsLeave,
};
LockstepFault why_not_lockstep(const ClusterRules& rules);

}  // namespace loadfactor::serving
