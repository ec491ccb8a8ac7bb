#include "serving/memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "workload/sharding.h"

namespace loadfactor::serving {
namespace {

using catalog::AttentionKind;
using catalog::FractionOf;
using workload::Sharding;
using workload::share_of;

constexpr double kActivationBytes = 2.0;  // Activations are 16-bit whatever the weights are.
// How far off the modelled parts may be: relative, both ways. See docs/models/fit.md.
constexpr double kActivationSpread = 0.5;
constexpr double kOverheadSpread = 0.5;

double attention_width(const catalog::AttentionSpec& attention, int tp) {
  if (attention.kind == AttentionKind::kNone) return 0;
  if (attention.kind == AttentionKind::kLatent) {
    const double head = 2.0 * (attention.nope_dim + attention.rope_dim) + 2.0 * attention.value_dim;
    return static_cast<double>(share_of(attention.heads, tp)) * head + attention.kv_rank +
           attention.q_rank;
  }
  if (attention.kind == AttentionKind::kStandard) {
    return static_cast<double>(2 * share_of(attention.heads, tp) +
                               2 * share_of(attention.kv_heads, tp)) *
           attention.head_dim;
  }
  const double keys = 2.0 * attention.key_heads * attention.key_dim;
  const double values = 2.0 * attention.value_heads * attention.value_dim;
  return (keys + values) / tp;
}

// Elements that one token makes live at the widest point of a feed-forward block.
double feed_forward_width(const catalog::LayerSpec& layer, int hidden, const Sharding& sharding) {
  const auto copies = [](catalog::MlpKind kind) {
    return kind == catalog::MlpKind::kGated ? 3.0 : 2.0;
  };
  double width = 0;
  if (layer.mlp.width > 0) width = copies(layer.mlp.kind) * layer.mlp.width / sharding.tp;
  if (layer.moe.experts > 0) {
    const double rows = static_cast<double>(layer.moe.top_k) / sharding.ep;
    const double expert = copies(layer.moe.kind) * layer.moe.width / sharding.expert_tp() + hidden;
    const double shared = copies(layer.moe.kind) * layer.moe.shared_width / sharding.tp;
    width = std::max(width, rows * expert + shared);
  }
  return width;
}

// The largest step either computes a layer for all its tokens or the logits of its sequences.
Bytes activation_bytes(const ServingSetup& setup, const Sharding& sharding,
                       const workload::Stage& stage) {
  const auto& model = *setup.model;
  const auto& overhead = setup.engine->overhead;
  const auto tokens = static_cast<double>(setup.batched_tokens);
  double widest = 0;
  for (const int index : stage.layers) {
    const auto& layer = model.layer(index);
    widest = std::max({widest, attention_width(layer.attention, sharding.tp),
                       feed_forward_width(layer, model.hidden, sharding)});
  }
  const double hidden = overhead.activation_copies * model.hidden;
  const double layer_bytes = tokens * (hidden + widest) * kActivationBytes;
  const double sampled = static_cast<double>(std::min(setup.max_sequences, setup.batched_tokens));
  const auto words = model.embedding.head ? static_cast<double>(model.embedding.vocab) : 0.0;
  const double logits = sampled * words * overhead.logit_bytes;
  const double head_bytes = stage.last ? logits + tokens * model.hidden * kActivationBytes : 0.0;
  return Bytes::from_base(std::max(layer_bytes, head_bytes));
}

BytesRange spread(Bytes value, double relative) {
  return {value, value * (1 - relative), value * (1 + relative)};
}

// What is left for keys and values under the engine's convention.
Bytes kv_space(const ServingSetup& setup, const GpuMemory& gpu, Bytes activations, Bytes overhead) {
  const Bytes weights = gpu.weights.total();
  const double fraction = setup.memory_fraction;
  const Bytes everything = gpu.visible - weights - activations - overhead;
  const catalog::EngineOverhead& own = setup.engine->overhead;
  switch (setup.engine->memory.fraction_of) {
    case FractionOf::kTotal: {
      // Graphs are captured once the cache is there; a context that is there before the engine
      // measures itself comes on top of the fraction.
      const Bytes later = own.graphs_in_fraction ? Bytes() : own.graphs;
      const Bytes before = own.context_in_fraction ? Bytes() : own.context;
      const Bytes seen = std::max(overhead - later - before, Bytes());
      return std::min(gpu.visible * fraction - weights - activations - seen, everything + later);
    }
    case FractionOf::kStatic:
      // It keeps (1 - fraction) free of what the process finds before weights are loaded.
      return std::min((gpu.visible - overhead + own.graphs) * fraction - weights, everything);
    case FractionOf::kFree:
      return everything * fraction;
  }
  return Bytes();
}

// Communicators hold buffers for their neighbours in rings and trees, not for every rank.
Bytes fixed_overhead(const ServingSetup& setup, const Sharding& sharding) {
  constexpr int kMostNeighbours = 3;
  const catalog::EngineOverhead& own = setup.engine->overhead;
  const int peers = std::min(sharding.tp * sharding.pp * sharding.dp - 1, kMostNeighbours);
  const bool linked = setup.chip->scale_up.topology != catalog::Topology::kNone;
  return own.context + own.graphs + (linked ? own.link_communicator : own.communicator) * peers;
}

GpuMemory divide_stage(const ServingSetup& setup, const Sharding& sharding, int index) {
  const auto stage = workload::pipeline_stage(*setup.model, sharding, index);
  GpuMemory gpu;
  gpu.total = setup.chip->memory.usable;
  gpu.visible = gpu.total - setup.engine->overhead.driver;
  gpu.weights = workload::local_weight_bytes(*setup.model, *setup.recipe, sharding, stage);
  gpu.activations = spread(activation_bytes(setup, sharding, stage), kActivationSpread);
  gpu.overhead = spread(fixed_overhead(setup, sharding), kOverheadSpread);
  gpu.kv.value = kv_space(setup, gpu, gpu.activations.value, gpu.overhead.value);
  gpu.kv.low = kv_space(setup, gpu, gpu.activations.high, gpu.overhead.high);
  gpu.kv.high = kv_space(setup, gpu, gpu.activations.low, gpu.overhead.low);
  const Bytes kv = std::max(gpu.kv.value, Bytes());
  gpu.reserve = gpu.total - gpu.weights.total() - gpu.activations.value - gpu.overhead.value - kv;
  gpu.profile = workload::kv_profile(*setup.model, setup.kv, sharding, stage);
  return gpu;
}

Bytes space_at(const GpuMemory& gpu, End end) {
  if (end == End::kLow) return gpu.kv.low;
  return end == End::kHigh ? gpu.kv.high : gpu.kv.value;
}

std::int64_t sequences_in(const GpuMemory& gpu, std::int64_t tokens, End end) {
  const Bytes space = space_at(gpu, end);
  if (space <= Bytes()) return 0;
  const Bytes one = gpu.profile.bytes(tokens);
  if (one <= Bytes()) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::floor(space / one));
}

}  // namespace

DeploymentMemory divide_memory(const ServingSetup& setup, const Sharding& sharding) {
  DeploymentMemory memory;
  memory.sharding = sharding;
  for (int index = 0; index < sharding.pp; ++index)
    memory.stages.push_back(divide_stage(setup, sharding, index));
  const auto fullness = [](const GpuMemory& gpu) {
    const Bytes per_token = gpu.profile.per_token();
    return per_token > Bytes() ? gpu.kv.value / per_token : std::numeric_limits<double>::infinity();
  };
  for (std::size_t i = 1; i < memory.stages.size(); ++i) {
    if (fullness(memory.stages[i]) < fullness(memory.stages[memory.tightest])) memory.tightest = i;
  }
  return memory;
}

Bytes DeploymentMemory::fullest_weights() const {
  Bytes most;
  for (const GpuMemory& stage : stages) most = std::max(most, stage.weights.total());
  return most;
}

void DeploymentMemory::take(Bytes bytes) {
  for (auto& gpu : stages) {
    for (Bytes* end : {&gpu.kv.value, &gpu.kv.low, &gpu.kv.high}) *end = *end - bytes;
  }
}

double DeploymentMemory::stretch(double tokens) const {
  const auto whole = std::max<std::int64_t>(1, std::llround(tokens));
  const workload::KvProfile& profile = stages[tightest].profile;
  const Bytes plain = profile.per_token() * static_cast<double>(whole);
  return plain > Bytes() ? plain / profile.bytes(whole) : 1.0;
}

std::int64_t count_sequences(const ServingSetup& setup, const DeploymentMemory& memory,
                             std::int64_t tokens, End end) {
  const std::int64_t block = setup.engine->memory.block;
  const std::int64_t whole = (tokens + block - 1) / block * block;
  std::int64_t sequences = std::numeric_limits<std::int64_t>::max();
  for (const auto& gpu : memory.stages)
    sequences = std::min(sequences, sequences_in(gpu, whole, end));
  const bool bounded = sequences < std::numeric_limits<std::int64_t>::max();
  // Texts of which nothing is kept: as many as the engine takes at once.
  if (!bounded && !setup.model->causal) return setup.max_sequences * memory.sharding.dp;
  return bounded ? sequences * memory.sharding.dp : sequences;
}

std::int64_t count_kv_tokens(const ServingSetup& setup, const DeploymentMemory& memory, End end) {
  constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();
  const std::int64_t block = setup.engine->memory.block;
  std::int64_t blocks = kUnbounded;
  for (const auto& gpu : memory.stages) {
    const Bytes space = space_at(gpu, end);
    const Bytes one = gpu.profile.per_token() * static_cast<double>(block);
    if (space <= Bytes()) return 0;
    if (one > Bytes()) blocks = std::min(blocks, static_cast<std::int64_t>(space / one));
  }
  return blocks == kUnbounded ? kUnbounded : blocks * block * memory.sharding.dp;
}

}  // namespace loadfactor::serving
