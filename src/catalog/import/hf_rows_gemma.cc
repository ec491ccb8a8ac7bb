#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kGemmaRows{
    HfArchitecture{.model_type = "gemma",
                   .family = "gemma",
                   .sizes = {16, 16, 256, 24576, 256000, 8192, true},
                   .attention = {.bias = kAttentionBias}},
    HfArchitecture{.model_type = "gemma2",
                   .family = "gemma",
                   .sizes = {8, 4, 256, 9216, 256000, 8192, true},
                   .attention = {.bias = kAttentionBias,
                                 .layout = HfLayout::kAlternating,
                                 .window = 4096,
                                 .every = 2},
                   .block = {.norms = 4}},
    HfArchitecture{.model_type = "gemma3_text",
                   .family = "gemma",
                   .sizes = {8, 4, 256, 9216, 262208, 131072, true},
                   .attention = {.bias = kAttentionBias,
                                 .has_qk_norm = kAlways,
                                 .layout = HfLayout::kAlternating,
                                 .window = 4096,
                                 .every = 6},
                   .block = {.norms = 4}},
    HfArchitecture{.model_type = "gemma4_text",
                   .family = "gemma4",
                   .sizes = {8, 4, 256, 9216, 262144, 131072, true},
                   .attention = {.has_qk_norm = kAlways,
                                 .layout = HfLayout::kAlternating,
                                 .window = 512,
                                 .every = 6},
                   .block = {.norms = 4},
                   .moe = {.experts = 128, .top_k = 8, .width = 704, .shared = HfShared::kDense},
                   .quirk = HfQuirk::kGemma4},
    HfArchitecture{.model_type = "cohere",
                   .family = "command",
                   .sizes = {64, 0, 0, 22528, 256000, 8192, true},
                   .attention = {.bias = kAttentionBias,
                                 .has_qk_norm = {.key = "use_qk_norm"},
                                 .qk_norm = QkNorm::kFull},
                   .block = {.norm = NormKind::kLayerNoBias, .norms = 1}},
    HfArchitecture{.model_type = "cohere2",
                   .family = "command",
                   .sizes = {64, 0, 0, 22528, 256000, 8192, true},
                   .attention = {.bias = kAttentionBias,
                                 .layout = HfLayout::kAlternating,
                                 .window = 4096,
                                 .every = 4},
                   .block = {.norm = NormKind::kLayerNoBias, .norms = 1}},
};

}  // namespace

std::span<const HfArchitecture> hf_gemma_rows() {
  return kGemmaRows;
}

}  // namespace loadfactor::catalog
