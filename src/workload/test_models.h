// Architectures written out for tests, from the configurations their publishers released.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catalog/spec/model_spec.h"

namespace loadfactor::workload::test_models {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::MlpSpec;
using catalog::ModelSpec;
using catalog::MoeSpec;
using catalog::NormKind;
using catalog::QkNorm;

struct Outline {
  std::string name;
  int layers = 0;
  int hidden = 0;
  std::int64_t vocab = 0;
  bool tied = false;
};

// All layers of one kind.
inline ModelSpec uniform(const Outline& outline, const LayerSpec& layer) {
  ModelSpec model;
  model.name = outline.name;
  model.hidden = outline.hidden;
  model.embedding = {.vocab = outline.vocab, .tied = outline.tied};
  model.kinds = {layer};
  model.layers.assign(static_cast<std::size_t>(outline.layers), 0);
  return model;
}

// Layer i is of kind pattern(i).
inline ModelSpec patterned(const Outline& outline, std::vector<LayerSpec> kinds,
                           const std::function<int(int)>& pattern) {
  ModelSpec model = uniform(outline, kinds.front());
  model.kinds = std::move(kinds);
  for (int i = 0; i < outline.layers; ++i) {
    model.layers[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(pattern(i));
  }
  return model;
}

inline AttentionSpec heads(int query, int key_value, int dim) {
  return {.heads = query, .kv_heads = key_value, .head_dim = dim};
}

inline LayerSpec gated_layer(const AttentionSpec& attention, int width) {
  return {.attention = attention, .mlp = {.kind = MlpKind::kGated, .width = width}};
}

// Two layers with round dimensions, small enough to check sums by hand.
inline ModelSpec toy() {
  return uniform({"toy", 2, 64, 1000, false}, gated_layer(heads(8, 4, 8), 128));
}

inline ModelSpec llama_8b() {
  return uniform({"llama-3.1-8b", 32, 4096, 128256, false}, gated_layer(heads(32, 8, 128), 14336));
}
inline ModelSpec llama_70b() {
  return uniform({"llama-3.1-70b", 80, 8192, 128256, false}, gated_layer(heads(64, 8, 128), 28672));
}
inline ModelSpec mistral_7b() {
  AttentionSpec attention = heads(32, 8, 128);
  attention.window = 4096;
  return uniform({"mistral-7b", 32, 4096, 32000, false}, gated_layer(attention, 14336));
}
inline ModelSpec mixtral_8x7b() {
  return uniform(
      {"mixtral-8x7b", 32, 4096, 32000, false},
      {.attention = heads(32, 8, 128), .moe = {.experts = 8, .top_k = 2, .width = 14336}});
}
inline ModelSpec qwen25_7b() {
  AttentionSpec attention = heads(28, 4, 128);
  attention.qkv_bias = true;
  return uniform({"qwen2.5-7b", 28, 3584, 152064, false}, gated_layer(attention, 18944));
}
inline ModelSpec qwen3_8b() {
  AttentionSpec attention = heads(32, 8, 128);
  attention.qk_norm = QkNorm::kHead;
  return uniform({"qwen3-8b", 36, 4096, 151936, false}, gated_layer(attention, 12288));
}
inline ModelSpec qwen3_30b_a3b() {
  AttentionSpec attention = heads(32, 4, 128);
  attention.qk_norm = QkNorm::kHead;
  return uniform({"qwen3-30b-a3b", 48, 2048, 151936, false},
                 {.attention = attention, .moe = {.experts = 128, .top_k = 8, .width = 768}});
}
inline LayerSpec gpt_layer(int num_heads, int dim, int width) {
  AttentionSpec attention = heads(num_heads, num_heads, dim);
  attention.qkv_bias = true;
  attention.out_bias = true;
  return {.attention = attention, .mlp = {.kind = MlpKind::kPlain, .width = width, .bias = true}};
}
inline ModelSpec gpt2() {
  ModelSpec model = uniform({"gpt2", 12, 768, 50257, true}, gpt_layer(12, 64, 3072));
  model.norm = NormKind::kLayer;
  model.embedding.positions = 1024;
  return model;
}
inline ModelSpec gpt_neox_20b() {
  ModelSpec model = uniform({"gpt-neox-20b", 44, 6144, 50432, false}, gpt_layer(64, 96, 24576));
  model.norm = NormKind::kLayer;
  return model;
}
inline ModelSpec gemma2_9b() {
  LayerSpec full = gated_layer(heads(16, 8, 256), 14336);
  full.norms = 4;
  LayerSpec sliding = full;
  sliding.attention.window = 4096;
  return patterned({"gemma-2-9b", 42, 3584, 256000, true}, {sliding, full},
                   [](int i) { return i % 2; });
}
inline ModelSpec gemma3_27b() {
  LayerSpec full = gated_layer(heads(32, 16, 128), 21504);
  full.norms = 4;
  full.attention.qk_norm = QkNorm::kHead;
  LayerSpec sliding = full;
  sliding.attention.window = 1024;
  ModelSpec model = patterned({"gemma-3-27b", 62, 5376, 262208, true}, {sliding, full},
                              [](int i) { return i % 6 == 5 ? 1 : 0; });
  model.extras = {{"vision", 423'060'336}};
  return model;
}
inline ModelSpec gpt_oss_20b() {
  LayerSpec full{
      .attention = heads(64, 8, 64),
      .moe = {.experts = 32, .top_k = 4, .width = 2880, .bias = true, .router_bias = true}};
  full.attention.qkv_bias = true;
  full.attention.out_bias = true;
  full.attention.sinks = true;
  LayerSpec sliding = full;
  sliding.attention.window = 128;
  return patterned({"gpt-oss-20b", 24, 2880, 201088, false}, {sliding, full},
                   [](int i) { return i % 2; });
}
inline ModelSpec deepseek_v3() {
  const AttentionSpec latent{.kind = AttentionKind::kLatent,
                             .heads = 128,
                             .kv_heads = 128,
                             .head_dim = 192,
                             .q_rank = 1536,
                             .kv_rank = 512,
                             .nope_dim = 128,
                             .rope_dim = 64,
                             .value_dim = 128};
  const LayerSpec dense = gated_layer(latent, 18432);
  const LayerSpec sparse{.attention = latent,
                         .moe = {.experts = 256,
                                 .top_k = 8,
                                 .width = 2048,
                                 .correction_bias = true,
                                 .shared_width = 2048}};
  ModelSpec model = patterned({"deepseek-v3", 61, 7168, 129280, false}, {dense, sparse},
                              [](int i) { return i < 3 ? 0 : 1; });
  model.mtp_layers = 1;
  return model;
}
inline ModelSpec deepseek_v32() {
  ModelSpec model = deepseek_v3();
  for (LayerSpec& kind : model.kinds) {
    kind.attention.sparse_top_k = 2048;
    kind.attention.index_heads = 64;
    kind.attention.index_dim = 128;
  }
  return model;
}
inline ModelSpec qwen3_next_80b() {
  const MoeSpec moe{
      .experts = 512, .top_k = 10, .width = 512, .shared_width = 512, .shared_gate = true};
  LayerSpec full{.attention = heads(16, 2, 256), .moe = moe};
  full.attention.qk_norm = QkNorm::kHead;
  full.attention.gate = true;
  const LayerSpec linear{.attention = {.kind = AttentionKind::kLinear,
                                       .value_dim = 128,
                                       .key_heads = 16,
                                       .value_heads = 32,
                                       .key_dim = 128,
                                       .conv = 4},
                         .moe = moe};
  return patterned({"qwen3-next-80b-a3b", 48, 2048, 151936, false}, {linear, full},
                   [](int i) { return i % 4 == 3 ? 1 : 0; });
}
// 23 state-space, 23 expert and 6 attention layers, one norm each.
inline ModelSpec nemotron3_nano_30b() {
  const LayerSpec mamba{.attention = {.kind = AttentionKind::kMamba2,
                                      .value_dim = 64,
                                      .value_heads = 64,
                                      .key_dim = 128,
                                      .groups = 8,
                                      .conv = 4},
                        .norms = 1};
  const LayerSpec experts{.attention = {.kind = AttentionKind::kNone},
                          .moe = {.experts = 128,
                                  .top_k = 6,
                                  .width = 1856,
                                  .kind = MlpKind::kPlain,
                                  .correction_bias = true,
                                  .shared_width = 3712},
                          .norms = 1};
  const LayerSpec attention{.attention = heads(32, 2, 128), .norms = 1};
  return patterned({"nemotron-3-nano-30b-a3b", 52, 2688, 131072, false},
                   {mamba, experts, attention},
                   [](int i) { return i < 23 ? 0 : (i < 46 ? 1 : 2); });
}
inline ModelSpec opt_350m() {
  ModelSpec model = uniform({"opt-350m", 24, 1024, 50272, true}, gpt_layer(16, 64, 4096));
  model.norm = NormKind::kLayer;
  model.final_norm = false;
  model.embedding.positions = 2050;
  model.embedding.project = 512;
  return model;
}

// GPT-3's layer: the architecture of the published activation formulas.
inline ModelSpec gpt3_layer(int layers) {
  ModelSpec model = uniform({"gpt3", layers, 12288, 51200, true}, gpt_layer(96, 128, 49152));
  model.norm = NormKind::kLayer;
  return model;
}

}  // namespace loadfactor::workload::test_models
