// Ways to store weights: which tensors are converted, to what, with what beside them.
//
// Only linears are ever converted. Embedding, head, positions, router, norms, biases,
// convolutions and other vectors keep the 16-bit dtype of the checkpoint, which is why "fp8"
// never means one byte per parameter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "catalog/spec/dtype.h"

namespace loadfactor::workload {

enum class Converts : std::uint8_t {
  kNothing,
  kAllLinears,   // Linear layers of attention, MLP, experts and shared experts.
  kExperts,      // Routed experts only.
  kFeedForward,  // MLP, experts and shared experts; attention stays.
};

// How far one scale reaches.
enum class ScaleOver : std::uint8_t {
  kNone,
  kTensor,
  kRow,    // One output feature.
  kGroup,  // `group` input features of one row.
  kBlock,  // `group` × `group` elements.
};

struct WeightRecipe {
  std::string_view name;
  Converts converts = Converts::kNothing;
  catalog::Dtype stored = catalog::Dtype::kBf16;  // Number format of the converted tensors.
  ScaleOver scale = ScaleOver::kNone;
  std::int64_t group = 0;
  int scale_bits = 0;
  int zero_bits = 0;         // Bits of the zero point that goes with each scale.
  int bytes_per_tensor = 0;  // Per-tensor scales and format marks.
  int bytes_per_column = 0;  // The group index GPTQ keeps for every input feature.
  catalog::Dtype plain = catalog::Dtype::kBf16;  // Number format of all other tensors.
  catalog::Dtype math = catalog::Dtype::kBf16;  // Number format that converted tensors multiply in.
};

inline constexpr std::array kWeightRecipes{
    WeightRecipe{.name = "bf16"},
    WeightRecipe{.name = "fp16",
                 .stored = catalog::Dtype::kFp16,
                 .plain = catalog::Dtype::kFp16,
                 .math = catalog::Dtype::kFp16},
    WeightRecipe{.name = "fp32",
                 .stored = catalog::Dtype::kFp32,
                 .plain = catalog::Dtype::kFp32,
                 .math = catalog::Dtype::kFp32},
    // A weight scale and an input scale per tensor, fp32 each.
    WeightRecipe{.name = "fp8",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kFp8,
                 .bytes_per_tensor = 8,
                 .math = catalog::Dtype::kFp8},
    // DeepSeek's: one fp32 scale per 128 × 128 block.
    WeightRecipe{.name = "fp8-block",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kFp8,
                 .scale = ScaleOver::kBlock,
                 .group = 128,
                 .scale_bits = 32,
                 .math = catalog::Dtype::kFp8},
    // As Meta releases Llama 3.1 405B: attention stays 16-bit, one fp32 scale per output feature.
    // (Its first and last layers stay 16-bit too, which is not counted: 1 % of the bytes.)
    WeightRecipe{.name = "fp8-feed-forward",
                 .converts = Converts::kFeedForward,
                 .stored = catalog::Dtype::kFp8,
                 .scale = ScaleOver::kRow,
                 .scale_bits = 32,
                 .math = catalog::Dtype::kFp8},
    // W8A8: one fp32 scale per output feature.
    WeightRecipe{.name = "int8",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kInt8,
                 .scale = ScaleOver::kRow,
                 .scale_bits = 32,
                 .math = catalog::Dtype::kInt8},
    // LLM.int8(): the row maxima (SCB) in fp32 and one byte that names the memory layout.
    WeightRecipe{.name = "bitsandbytes-int8",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kInt8,
                 .scale = ScaleOver::kRow,
                 .scale_bits = 32,
                 .bytes_per_tensor = 1,
                 .math = catalog::Dtype::kInt8},
    // Weight only: 16-bit scales and packed 4-bit zero points per 128 input features.
    WeightRecipe{.name = "int4-awq",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kInt4,
                 .scale = ScaleOver::kGroup,
                 .group = 128,
                 .scale_bits = 16,
                 .zero_bits = 4},
    // As AWQ, and an int32 per input feature that names its group.
    WeightRecipe{.name = "int4-gptq",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kInt4,
                 .scale = ScaleOver::kGroup,
                 .group = 128,
                 .scale_bits = 16,
                 .zero_bits = 4,
                 .bytes_per_column = 4},
    // 16-bit scales per 32 input features; routed experts only, as Kimi K2 Thinking is released.
    WeightRecipe{.name = "int4-experts",
                 .converts = Converts::kExperts,
                 .stored = catalog::Dtype::kInt4,
                 .scale = ScaleOver::kGroup,
                 .group = 32,
                 .scale_bits = 16},
    // One 8-bit exponent per 32 elements; experts only, as gpt-oss is released.
    WeightRecipe{.name = "mxfp4-experts",
                 .converts = Converts::kExperts,
                 .stored = catalog::Dtype::kFp4,
                 .scale = ScaleOver::kGroup,
                 .group = 32,
                 .scale_bits = 8},
    WeightRecipe{.name = "mxfp4",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kFp4,
                 .scale = ScaleOver::kGroup,
                 .group = 32,
                 .scale_bits = 8},
    // An fp8 scale per 16 elements, two fp32 scales per tensor.
    WeightRecipe{.name = "nvfp4",
                 .converts = Converts::kAllLinears,
                 .stored = catalog::Dtype::kFp4,
                 .scale = ScaleOver::kGroup,
                 .group = 16,
                 .scale_bits = 8,
                 .bytes_per_tensor = 8,
                 .math = catalog::Dtype::kNvfp4},
    // As NVIDIA releases mixtures of experts: attention stays 16-bit.
    WeightRecipe{.name = "nvfp4-feed-forward",
                 .converts = Converts::kFeedForward,
                 .stored = catalog::Dtype::kFp4,
                 .scale = ScaleOver::kGroup,
                 .group = 16,
                 .scale_bits = 8,
                 .bytes_per_tensor = 8,
                 .math = catalog::Dtype::kNvfp4},
};

constexpr const WeightRecipe* find_weight_recipe(std::string_view name) {
  for (const auto& recipe : kWeightRecipes) {
    if (recipe.name == name) return &recipe;
  }
  return nullptr;
}

inline constexpr const WeightRecipe& kBf16Weights = kWeightRecipes[0];

}  // namespace loadfactor::workload
