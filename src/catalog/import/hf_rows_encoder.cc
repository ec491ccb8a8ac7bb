#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

// LayerNorms after each block, biases everywhere, a plain MLP, learned positions.
constexpr HfArchitecture bert_like(std::string_view type, HfSizes sizes, HfEncoder encoder) {
  return {.model_type = type,
          .family = type,
          .sizes = sizes,
          .attention = {.bias = kAlways},
          .block = {.norm = NormKind::kLayer, .mlp = MlpKind::kPlain, .mlp_bias = kAlways},
          .embedding = {.positions = HfPositions::kLearned, .norm = true},
          .encoder = encoder};
}

// Towers of text that are trained beside a tower of images.
constexpr HfArchitecture text_tower(std::string_view type, HfSizes sizes, bool is_causal) {
  return {.model_type = type,
          .family = type,
          .sizes = sizes,
          .attention = {.bias = kAlways},
          .block = {.norm = NormKind::kLayer, .mlp = MlpKind::kPlain, .mlp_bias = kAlways},
          .embedding = {.positions = HfPositions::kLearned},
          .encoder = {.is_encoder = true, .is_causal = is_causal, .final_norm = true}};
}

// Sizes stand in the order heads, kv heads, head width, MLP width, vocabulary, context, tied.
constexpr std::array kEncoderRows{
    bert_like("bert", {12, 0, 0, 3072, 30522, 512, true},
              {.is_encoder = true, .text_kinds = 2, .pooler = HfPooler::kDense}),
    bert_like("roberta", {12, 0, 0, 3072, 50265, 514, true},
              {.is_encoder = true,
               .text_kinds = 1,
               .unused_positions = 2,
               .pooler = HfPooler::kDense,
               .deep_classifier = true}),
    bert_like("xlm-roberta", {12, 0, 0, 3072, 250002, 514, true},
              {.is_encoder = true,
               .text_kinds = 1,
               .unused_positions = 2,
               .pooler = HfPooler::kDense,
               .deep_classifier = true}),
    bert_like("distilbert", {12, 0, 0, 3072, 30522, 512, true}, {.is_encoder = true}),
    HfArchitecture{.model_type = "modernbert",
                   .family = "modernbert",
                   .sizes = {12, 0, 0, 1152, 50368, 8192, true},
                   .attention = {.bias = {.key = "attention_bias"},
                                 .layout = HfLayout::kEveryFromFirst,
                                 .window = 128,
                                 .every = 3},
                   .block = {.norm = NormKind::kLayerNoBias, .mlp_bias = {.key = "mlp_bias"}},
                   .embedding = {.norm = true},
                   .encoder = {.is_encoder = true, .final_norm = true, .first_without_norm = true}},
    text_tower("clip", {8, 0, 0, 2048, 49408, 77, true, 512, 12}, true),
    text_tower("siglip", {12, 0, 0, 3072, 32000, 64, true, 768, 12}, false),
};

}  // namespace

std::span<const HfArchitecture> hf_encoder_rows() {
  return kEncoderRows;
}

}  // namespace loadfactor::catalog
