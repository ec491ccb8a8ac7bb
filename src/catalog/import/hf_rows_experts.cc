#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

constexpr HfAttention kLatent{.kind = AttentionKind::kLatent};
constexpr HfAttention kSparseLatent{.kind = AttentionKind::kLatent, .sparse = true};
constexpr HfMoe kDeepSeekV3Moe{.experts = 256,
                               .top_k = 8,
                               .width = 2048,
                               .shared = HfShared::kCount,
                               .shared_default = 1,
                               .correction_bias = true,
                               .placement = HfPlacement::kAfterDense,
                               .first_dense = 3};
constexpr HfSizes kDeepSeekSizes{128, 0, 0, 18432, 129280, 4096};

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kExpertRows{
    HfArchitecture{.model_type = "deepseek_v2",
                   .family = "deepseek",
                   .sizes = {32, 0, 0, 11008, 32000, 2048},
                   .attention = kLatent,
                   .moe = {.experts = 64,
                           .width = 1407,
                           .shared = HfShared::kCount,
                           .shared_default = 2,
                           .placement = HfPlacement::kAfterDense}},
    HfArchitecture{.model_type = "deepseek_v3",
                   .family = "deepseek",
                   .sizes = kDeepSeekSizes,
                   .attention = kLatent,
                   .moe = kDeepSeekV3Moe},
    HfArchitecture{.model_type = "deepseek_v32",
                   .family = "deepseek",
                   .sizes = kDeepSeekSizes,
                   .attention = kSparseLatent,
                   .moe = kDeepSeekV3Moe},
    HfArchitecture{.model_type = "kimi_k2",
                   .family = "kimi",
                   .sizes = kDeepSeekSizes,
                   .attention = kLatent,
                   .moe = kDeepSeekV3Moe},
    HfArchitecture{.model_type = "glm_moe_dsa",
                   .family = "glm",
                   .sizes = {64, 0, 0, 12288, 154880, 202752},
                   .attention = kSparseLatent,
                   .latent = {2048, 512, 192, 64, 256, 32},
                   .moe = kDeepSeekV3Moe},
    HfArchitecture{.model_type = "glm4_moe",
                   .family = "glm",
                   .sizes = {96, 8, 128, 10944, 151552, 131072},
                   .attention = {.bias = kAttentionBias,
                                 .bias_on_output = false,
                                 .has_qk_norm = {.key = "use_qk_norm"}},
                   .moe = {.experts = 128,
                           .top_k = 8,
                           .width = 1408,
                           .shared = HfShared::kCount,
                           .shared_default = 1,
                           .correction_bias = true,
                           .placement = HfPlacement::kAfterDense,
                           .first_dense = 1}},
    HfArchitecture{.model_type = "minimax_m2",
                   .family = "minimax",
                   .sizes = {48, 8, 128, 1536, 200064, 196608},
                   .attention = {.has_qk_norm = {true, "use_qk_norm"}, .qk_norm = QkNorm::kFull},
                   .moe = {.experts = 256, .top_k = 8, .correction_bias = true}},
    HfArchitecture{.model_type = "gpt_oss",
                   .family = "gpt-oss",
                   .sizes = {64, 8, 64, 2880, 201088, 131072},
                   .attention = {.bias = {true, "attention_bias"},
                                 .sinks = true,
                                 .layout = HfLayout::kAlternating,
                                 .window = 128,
                                 .every = 2},
                   .moe = {.experts = 128, .top_k = 4, .bias = true, .router_bias = true}},
    HfArchitecture{.model_type = "llama4_text",
                   .family = "llama",
                   .sizes = {40, 8, 128, 16384, 202048, 131072},
                   .attention = {.bias = kAttentionBias,
                                 .layout = HfLayout::kAlternating,
                                 .window = 8192,
                                 .every = 4},
                   .moe = {.experts = 16,
                           .top_k = 1,
                           .width = 8192,
                           .shared = HfShared::kOne,
                           .placement = HfPlacement::kInterleave}},
    HfArchitecture{.model_type = "dbrx",
                   .family = "dbrx",
                   .sizes = {16, 1, 0, 3584, 32000, 2048},
                   .block = {.norm = NormKind::kLayerNoBias},
                   .moe = {.experts = 4, .top_k = 1},
                   .quirk = HfQuirk::kDbrx},
    HfArchitecture{.model_type = "grok-1",
                   .family = "grok",
                   .sizes = {48, 8, 0, 32768, 131072, 8192, true},
                   .block = {.norms = 4},
                   .moe = kMixtralMoe},
};

}  // namespace

std::span<const HfArchitecture> hf_expert_rows() {
  return kExpertRows;
}

}  // namespace loadfactor::catalog
