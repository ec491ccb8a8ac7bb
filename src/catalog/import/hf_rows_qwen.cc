#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

constexpr HfAttention kQwen3Attention{.bias = kAttentionBias,
                                      .has_qk_norm = kAlways,
                                      .layout = HfLayout::kUpperWindow,
                                      .window = 4096};
constexpr HfAttention kQwenHybrid{.bias = kAttentionBias,
                                  .has_qk_norm = kAlways,
                                  .gate = true,
                                  .layout = HfLayout::kLinear,
                                  .every = 4};

constexpr HfMoe qwen_moe(int experts, int top_k, int width, int shared_width) {
  return {.experts = experts,
          .top_k = top_k,
          .width = width,
          .shared = shared_width > 0 ? HfShared::kWidth : HfShared::kNone,
          .shared_default = shared_width,
          .shared_gate = shared_width > 0,
          .placement = HfPlacement::kSparseStep};
}

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kQwenRows{
    HfArchitecture{.model_type = "qwen2",
                   .family = "qwen",
                   .sizes = {32, 32, 0, 22016, 151936, 32768},
                   .attention = {.bias = kAlways,
                                 .bias_on_output = false,
                                 .layout = HfLayout::kUpperWindow,
                                 .window = 4096}},
    HfArchitecture{.model_type = "qwen2_moe",
                   .family = "qwen",
                   .sizes = {16, 16, 0, 5632, 151936, 32768},
                   .attention = {.bias = {true, "qkv_bias"},
                                 .bias_on_output = false,
                                 .layout = HfLayout::kUpperWindow,
                                 .window = 4096},
                   .moe = qwen_moe(60, 4, 1408, 5632)},
    HfArchitecture{.model_type = "qwen3",
                   .family = "qwen",
                   .sizes = {32, 32, 128, 22016, 151936, 32768},
                   .attention = kQwen3Attention},
    HfArchitecture{.model_type = "qwen3_moe",
                   .family = "qwen",
                   .sizes = {32, 4, 0, 6144, 151936, 32768},
                   .attention = kQwen3Attention,
                   .moe = qwen_moe(128, 8, 768, 0)},
    HfArchitecture{.model_type = "qwen3_next",
                   .family = "qwen",
                   .sizes = {16, 2, 256, 5632, 151936, 32768},
                   .attention = kQwenHybrid,
                   .moe = qwen_moe(512, 10, 512, 512)},
    HfArchitecture{.model_type = "qwen3_5",
                   .family = "qwen",
                   .sizes = {16, 4, 256, 12288, 248320, 32768},
                   .attention = kQwenHybrid},
    HfArchitecture{.model_type = "qwen3_5_moe",
                   .family = "qwen",
                   .sizes = {16, 2, 256, 512, 248320, 32768},
                   .attention = kQwenHybrid,
                   .moe = qwen_moe(256, 8, 512, 512)},
};

}  // namespace

std::span<const HfArchitecture> hf_qwen_rows() {
  return kQwenRows;
}

}  // namespace loadfactor::catalog
