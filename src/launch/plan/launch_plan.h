// What is to be launched, complete: a run or a service as it was resolved, without any text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"
#include "training/job/job.h"

namespace loadfactor::launch {

// The model in the dimensions that launchers ask for.
struct ModelShape {
  std::string name;        // The catalogue's, or a path; empty: known by its dimensions alone.
  bool is_file = false;    // The name is a path of the user's.
  std::string repository;  // Where its checkpoint is published; empty: not known.
  bool repository_is_assumed = false;  // No document that we hold names it.
  bool is_variant = false;  // The repository is another checkpoint of these dimensions, whose own
                            // context is not known.
  bool is_uniform = true;   // All layers are alike, but for dense ones before those of experts.
  std::string irregular;    // Why its dimensions do not say it all; empty: they do.
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t mlp = 0;  // Width of the dense MLP; 0: none.
  std::int64_t vocab = 0;
  std::int64_t context = 0;
  bool is_gated = true;
  bool is_tied = false;
  bool has_bias = false;      // Linear layers have biases,
  bool has_qkv_bias = false;  // or the projections of queries, keys and values alone.
  bool has_qk_norm = false;
  bool has_rms_norm = true;
  bool learns_positions = false;
  bool generates = true;    // It answers with tokens; else with vectors or scores,
  bool is_causal = true;    // and its tokens see those before them alone.
  bool hears = false;       // Prompts go through an encoder of their own.
  double rotary_base = 0;   // As its configuration says; 0: it does not,
  double norm_epsilon = 0;  // likewise.
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t expert_width = 0;
  std::int64_t shared_width = 0;
  std::int64_t dense_layers = 0;  // Before the first layer with experts.
  std::int64_t moe_layers = 0;    // Those with experts.
  std::int64_t mtp_layers = 0;
  struct Latent {
    std::int64_t q_rank = 0, kv_rank = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;
  };
  std::optional<Latent> latent;

  // What a program is given to load it by.
  const std::string& checkpoint() const { return repository.empty() ? name : repository; }
};

// The machines that it runs on.
struct Machine {
  std::string chip;
  std::string title;
  std::string vendor;  // In lower case.
  int gpus_per_node = 8;
  int cores = 0;       // On a node; 0: not known.
  int memory = 0;      // GB of a node's host; 0: not known.
  int nics = 0;        // On a node; 0: not known.
  std::string fabric;  // Between nodes; empty: not known.
};

struct RunPlan {
  ModelShape model;
  Machine machine;
  std::string framework;  // The stack's name,
  std::string family;     // and its code base.
  training::Layout layout;
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;
  std::string precision;
  std::string gradients;        // As they travel; empty: as the stack does.
  training::Precision formats;  // Those of state, kept inputs and compressed gradients.
  training::ExpertRouting routing;
  std::optional<std::int64_t> steps;       // For all tokens.
  std::optional<std::int64_t> save_every;  // Steps between two checkpoints.
  bool saves_apart = false;                // Checkpoints are written while the run goes on,
  bool saves_in_memory = false;            // or kept in the memory of other hosts.
  Seconds save_interval;                   // Between two checkpoints, the best;
  Seconds save_stall;                      // what one holds the run up;
  Bytes save_size;                         // what it takes on disk;
  Seconds stop_every;                      // and between two failures.
  std::optional<Seconds> duration;         // Paid time that is expected.
  std::optional<std::int64_t> lora;        // Rank of the adapters.
  int first_stage = 0;  // Layers of the first and last stage of a pipeline, as they come out,
  int last_stage = 0;
  bool is_even = true;  // and whether all stages hold equally many.
  // What the software does beside the layout.
  bool overlaps_gradients = true;
  bool overlaps_gathers = true;
  bool overlaps_tensors = false;
  bool compiles = false;      // Its kernels are those of a compiler.
  bool drops = false;         // The prediction has dropout in it.
  double gradient_bytes = 4;  // Where they are summed and as they travel: the narrower.

  int nodes() const { return (layout.gpus + machine.gpus_per_node - 1) / machine.gpus_per_node; }
  int gpus_on_node() const {
    return layout.gpus < machine.gpus_per_node ? layout.gpus : machine.gpus_per_node;
  }
  std::int64_t micro_batches() const { return global_batch / (layout.dp * layout.micro_batch); }
};

// Like replicas of a service.
struct ReplicaPool {
  std::string name;  // `prefill` or `decode`; empty: the only one.
  Machine machine;
  int tp = 1, pp = 1, ep = 1, dp = 1, cp = 1;
  int replicas = 1;
  std::int64_t chunk = 0;
  std::int64_t max_seqs = 0;
  double slots = 0;  // Requests of the mean length that run at a time: as many as the cache holds.
  double memory_fraction = 0;
  std::int64_t context = 0;  // The longest sequence that is taken.

  int gpus() const { return tp * pp * dp * cp; }
  int nodes() const { return (gpus() + machine.gpus_per_node - 1) / machine.gpus_per_node; }
  int gpus_on_node() const {
    return gpus() < machine.gpus_per_node ? gpus() : machine.gpus_per_node;
  }
};

// How replicas come and go, as the simulator has it.
struct ScalerPlan {
  int least = 1;
  int most = 1;
  std::int64_t target = 0;  // Requests per replica, running and waiting.
  bool is_band = false;     // One more above, one fewer below: two thresholds.
  Seconds interval;
  Seconds cooldown;
};

struct TokenPrices {
  double input = 0;  // Dollars per token.
  double output = 0;
  std::string from;  // How they come about.
};

struct ServicePlan {
  ModelShape model;
  std::string engine;   // vllm, sglang, tensorrt-llm, …
  std::string release;  // Empty: not said.
  std::string precision;
  bool is_as_stored = false;  // The checkpoint is in that precision already.
  std::string kv;
  std::vector<ReplicaPool> pools;  // One, or prefill and decode.
  std::optional<double> prefix_hits;
  bool has_priorities = false;
  bool fills = false;  // Batch work of a lower class takes what is left.
  bool swaps = false;
  bool has_swap_space = false;
  std::vector<std::string> left_to_gateway;  // Keys that stand before the servers: `router`.
  std::optional<std::int64_t> max_waiting;
  std::optional<int> proposed_tokens;  // Ahead, by a draft.
  struct Adapters {
    int rank = 0, active = 0;
  };
  std::optional<Adapters> lora;
  std::optional<ScalerPlan> scaler;
  std::optional<TokenPrices> prices;
  std::optional<double> load_factor;  // As far as it was computed.
  std::optional<double> break_even;
};

struct LaunchPlan {
  std::string name;
  config::Scenario scenario;  // What it was resolved from.
  std::optional<RunPlan> run;
  std::optional<ServicePlan> service;
  std::string bill_focus;  // The bill in the forms that others read; empty: not priced.
  std::string bill_infracost;

  // `chat.yaml:4:14`, `--set`, `planner`, or what else gave a value.
  std::string from(std::string_view key, std::string_view otherwise = "chosen") const;
  // LF522: the target cannot express a key, at its place.
  Error inexpressible(std::string_view target, std::string_view key, std::string_view value,
                      std::string_view why) const;
};

}  // namespace loadfactor::launch
