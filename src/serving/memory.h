// How the memory of a GPU is divided when a model is served on it.
//
// Weights and KV bytes are exact sums over tensors; the engine's own needs (context, graphs,
// activations of the largest step) are modelled, and carry an interval. See docs/models/fit.md.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/engine_spec.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/kv_cache.h"
#include "workload/sharding.h"
#include "workload/weight_recipe.h"
#include "workload/weights.h"

namespace loadfactor::serving {

// Everything that decides the division. Pointers are never null.
struct ServingSetup {
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const catalog::EngineSpec* engine = nullptr;
  const workload::WeightRecipe* recipe = nullptr;
  workload::KvFormat kv;
  double memory_fraction = 0;
  std::int64_t batched_tokens = 0;
  std::int64_t max_sequences = 0;
};

// Uncertain bytes.
struct BytesRange {
  Bytes value;
  Bytes low;
  Bytes high;
};

// One GPU of one pipeline stage.
struct GpuMemory {
  Bytes total;    // What the driver reports.
  Bytes visible;  // What the runtime sees.
  workload::WeightBytes weights;
  BytesRange activations;  // What the largest step needs.
  BytesRange overhead;     // Context, communicators, graphs.
  Bytes reserve;           // Kept free by the engine's setting, and by the driver.
  BytesRange kv;           // What is left for keys and values; may be negative.
  workload::KvProfile profile;
};

// The whole deployment: its fullest GPU, and how much it holds.
struct DeploymentMemory {
  workload::Sharding sharding;
  std::vector<GpuMemory> stages;  // One GPU of each pipeline stage.
  std::size_t tightest = 0;       // The stage that holds the fewest sequences.

  int gpus() const { return sharding.tp * sharding.pp * sharding.dp; }
  Bytes fullest_weights() const;  // Those of the stage that has the most.
  // How many times the tokens of an engine's log line fit as sequences of so many: windows keep
  // their last tokens alone, and states take room.
  double stretch(double tokens) const;
  void take(Bytes bytes);  // Takes bytes from what is left for keys and values, on every GPU.
};

DeploymentMemory divide_memory(const ServingSetup& setup, const workload::Sharding& sharding);

// Sequences of `tokens` tokens that fit into the KV space of every stage, in whole blocks, over
// all copies of the attention (dp). `end` chooses the value or an end of the interval.
enum class End : std::uint8_t { kLow, kValue, kHigh };
std::int64_t count_sequences(const ServingSetup& setup, const DeploymentMemory& memory,
                             std::int64_t tokens, End end = End::kValue);

// Tokens of KV cache, as an engine's log line counts them: no window is full, no state counted.
std::int64_t count_kv_tokens(const ServingSetup& setup, const DeploymentMemory& memory,
                             End end = End::kValue);

}  // namespace loadfactor::serving
