#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

constexpr HfFlag kMlpBias{.key = "mlp_bias"};

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kLlamaRows{
    HfArchitecture{.model_type = "llama",
                   .family = "llama",
                   .sizes = {32, 0, 0, 11008, 32000, 2048, false, 4096, 32},
                   .attention = {.bias = kAttentionBias},
                   .block = {.mlp_bias = kMlpBias}},
    HfArchitecture{.model_type = "granite",
                   .family = "granite",
                   .sizes = {32, 0, 0, 11008, 32000, 2048},
                   .attention = {.bias = kAttentionBias},
                   .block = {.mlp_bias = kMlpBias}},
    HfArchitecture{.model_type = "mistral",
                   .family = "mistral",
                   .sizes = {32, 8, 0, 14336, 32000, 131072, false, 4096, 32},
                   .attention = {.layout = HfLayout::kWindow, .window = 4096}},
    HfArchitecture{.model_type = "ministral3",
                   .family = "mistral",
                   .sizes = {32, 8, 128, 14336, 131072, 262144},
                   .attention = {.layout = HfLayout::kWindow}},
    HfArchitecture{.model_type = "mixtral",
                   .family = "mixtral",
                   .sizes = {32, 8, 0, 14336, 32000, 131072},
                   .attention = {.layout = HfLayout::kWindow},
                   .moe = kMixtralMoe},
    HfArchitecture{.model_type = "phi3",
                   .family = "phi",
                   .sizes = {32, 0, 0, 8192, 32064, 4096},
                   .attention = {.layout = HfLayout::kWindow}},
    HfArchitecture{.model_type = "phimoe",
                   .family = "phi",
                   .sizes = {32, 8, 0, 6400, 32064, 131072},
                   .attention = {.bias = kAttentionBias, .layout = HfLayout::kWindow},
                   .block = {.norm = NormKind::kLayer},
                   .moe = {.experts = 16, .top_k = 2},
                   .embedding = {.head_bias = {.key = "lm_head_bias"}}},
    HfArchitecture{.model_type = "olmo",
                   .family = "olmo",
                   .sizes = {32, 0, 0, 11008, 50304, 2048},
                   .attention = {.bias = kAttentionBias},
                   .block = {.norm = NormKind::kNonParametric}},
    HfArchitecture{
        .model_type = "olmo2",
        .family = "olmo",
        .sizes = {32, 0, 0, 11008, 50304, 2048},
        .attention = {.bias = kAttentionBias, .has_qk_norm = kAlways, .qk_norm = QkNorm::kFull}},
    HfArchitecture{.model_type = "olmo3",
                   .family = "olmo",
                   .sizes = {32, 0, 0, 11008, 50304, 2048},
                   .attention = {.bias = kAttentionBias,
                                 .has_qk_norm = kAlways,
                                 .qk_norm = QkNorm::kFull,
                                 .layout = HfLayout::kAlternating,
                                 .window = 4096,
                                 .every = 4}},
    HfArchitecture{.model_type = "glm",
                   .family = "glm",
                   .sizes = {32, 2, 128, 13696, 151552, 131072},
                   .attention = {.bias = {true, "attention_bias"}, .bias_on_output = false}},
    HfArchitecture{.model_type = "glm4",
                   .family = "glm",
                   .sizes = {32, 2, 128, 13696, 151552, 131072},
                   .attention = {.bias = {true, "attention_bias"}, .bias_on_output = false},
                   .block = {.norms = 4}},
};

}  // namespace

std::span<const HfArchitecture> hf_llama_rows() {
  return kLlamaRows;
}

}  // namespace loadfactor::catalog
