#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

constexpr HfAttention kBiasedAttention{.bias = {true, "attention_bias"}};
constexpr HfBlock kLayerNormPlain{
    .norm = NormKind::kLayer, .mlp = MlpKind::kPlain, .mlp_bias = kAlways};
constexpr HfFlag kNoBias{.otherwise = false, .key = "no_bias", .inverted = true};

// Decoders with learned positions, LayerNorm, biases everywhere and a plain MLP.
constexpr HfArchitecture gpt_like(std::string_view type, HfSizes sizes, HfPositions positions,
                                  HfQuirk quirk = HfQuirk::kNone) {
  return {.model_type = type,
          .family = type,
          .sizes = sizes,
          .attention = kBiasedAttention,
          .block = kLayerNormPlain,
          .embedding = {.positions = positions},
          .quirk = quirk};
}

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kClassicRows{
    gpt_like("gpt2", {12, 0, 0, 0, 50257, 1024, true}, HfPositions::kLearned),
    gpt_like("gpt_bigcode", {12, 0, 0, 0, 50257, 1024, true}, HfPositions::kLearned,
             HfQuirk::kMultiQuery),
    gpt_like("gpt_neox", {64, 0, 0, 24576, 50432, 2048}, HfPositions::kNone),
    HfArchitecture{.model_type = "gptj",
                   .family = "gptj",
                   .sizes = {16, 0, 0, 0, 50400, 2048},
                   .block = {.norm = NormKind::kLayer,
                             .norms = 1,
                             .mlp = MlpKind::kPlain,
                             .mlp_bias = kAlways},
                   .embedding = {.head_bias = kAlways}},
    HfArchitecture{.model_type = "opt",
                   .family = "opt",
                   .sizes = {12, 0, 0, 3072, 50272, 2048, true},
                   .attention = {.bias = {true, "enable_bias"}},
                   .block = {.norm = NormKind::kLayer,
                             .mlp = MlpKind::kPlain,
                             .mlp_bias = {true, "enable_bias"}},
                   .embedding = {.positions = HfPositions::kLearnedPlus2},
                   .quirk = HfQuirk::kOpt},
    HfArchitecture{.model_type = "bloom",
                   .family = "bloom",
                   .sizes = {8, 0, 0, 0, 250880, 2048, true},
                   .attention = kBiasedAttention,
                   .block = kLayerNormPlain,
                   .embedding = {.norm = true}},
    HfArchitecture{
        .model_type = "mpt",
        .family = "mpt",
        .sizes = {16, 0, 0, 0, 50368, 2048, true},
        .attention = {.bias = kNoBias},
        .block = {.norm = NormKind::kLayerNoBias, .mlp = MlpKind::kPlain, .mlp_bias = kNoBias},
        .quirk = HfQuirk::kMpt},
    HfArchitecture{
        .model_type = "falcon",
        .family = "falcon",
        .sizes = {71, 0, 0, 0, 65024, 2048, true},
        .attention = {.bias = {.key = "bias"}},
        .block = {.norm = NormKind::kLayer, .mlp = MlpKind::kPlain, .mlp_bias = {.key = "bias"}},
        .quirk = HfQuirk::kFalcon},
    HfArchitecture{.model_type = "phi",
                   .family = "phi",
                   .sizes = {32, 0, 0, 8192, 51200, 2048},
                   .attention = {.bias = kAlways, .has_qk_norm = {.key = "qk_layernorm"}},
                   .block = {.norm = NormKind::kLayer,
                             .norms = 1,
                             .mlp = MlpKind::kPlain,
                             .mlp_bias = kAlways},
                   .embedding = {.head_bias = kAlways}},
    HfArchitecture{.model_type = "nemotron",
                   .family = "nemotron",
                   .sizes = {48, 0, 0, 24576, 256000, 4096},
                   .attention = {.bias = {.key = "attention_bias"}},
                   .block = {.norm = NormKind::kLayer,
                             .mlp = MlpKind::kPlain,
                             .mlp_bias = {.key = "mlp_bias"}}},
    HfArchitecture{.model_type = "nemotron_h",
                   .family = "nemotron",
                   .sizes = {32, 8, 128, 21504, 131072, 4096},
                   .attention = {.bias = {.key = "attention_bias"}, .layout = HfLayout::kLetters},
                   .block = {.norms = 1, .mlp = MlpKind::kPlain, .mlp_bias = {.key = "mlp_bias"}},
                   .moe = {.experts = 8,
                           .top_k = 2,
                           .width = 7688,
                           .shared = HfShared::kWidth,
                           .shared_default = 7688,
                           .correction_bias = true}},
    HfArchitecture{.model_type = "stablelm",
                   .family = "stablelm",
                   .sizes = {32, 32, 0, 6912, 50304, 4096},
                   .attention = {.bias = {.key = "use_qkv_bias"},
                                 .bias_on_output = false,
                                 .has_qk_norm = {.key = "qk_layernorm"},
                                 .qk_norm = QkNorm::kFull},
                   .block = {.norm = NormKind::kLayer},
                   .quirk = HfQuirk::kStableLm},
    HfArchitecture{.model_type = "starcoder2",
                   .family = "starcoder",
                   .sizes = {24, 2, 0, 12288, 49152, 4096, true},
                   .attention = {.bias = {true, "use_bias"}, .layout = HfLayout::kWindow},
                   .block = {.norm = NormKind::kLayer,
                             .mlp = MlpKind::kPlain,
                             .mlp_bias = {true, "use_bias"}}},
};

}  // namespace

std::span<const HfArchitecture> hf_classic_rows() {
  return kClassicRows;
}

}  // namespace loadfactor::catalog
