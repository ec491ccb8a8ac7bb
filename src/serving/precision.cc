#include "serving/precision.h"

#include <algorithm>

namespace loadfactor::serving {
namespace {

using catalog::Dtype;
using cost::KernelVariant;
using workload::find_weight_recipe;

bool computes(const catalog::AcceleratorSpec& chip, Dtype dtype) {
  return chip.arithmetic.rate(dtype) > FlopsPerSecond{};
}

bool computes_fp4(const catalog::AcceleratorSpec& chip) {
  return computes(chip, Dtype::kNvfp4) || computes(chip, Dtype::kFp4) ||
         computes(chip, Dtype::kMxfp4);
}

ServingPrecision all_of(const KernelFormat& format) {
  return {format, format, format, Dtype::kBf16};
}

// 8-bit products where the chip has them; else 8-bit weights and 16-bit products.
KernelFormat eight_bits(const catalog::AcceleratorSpec& chip, bool blocks) {
  if (!computes(chip, Dtype::kFp8)) return {Dtype::kBf16, KernelVariant::kWeightOnly8};
  return {Dtype::kFp8, blocks ? KernelVariant::kBlockScaled : KernelVariant::kPlain};
}

PrecisionChoice narrow_experts(const catalog::ModelSpec& model,
                               const catalog::AcceleratorSpec& chip) {
  if (!model.has_experts()) {
    const KernelFormat format =
        computes_fp4(chip) ? KernelFormat{Dtype::kNvfp4} : eight_bits(chip, false);
    return {all_of(format), find_weight_recipe("mxfp4")};
  }
  PrecisionChoice choice{{}, find_weight_recipe("mxfp4-experts")};
  choice.kernels.experts = {computes_fp4(chip) ? Dtype::kMxfp8 : Dtype::kBf16,
                            KernelVariant::kWeightOnly4};
  return choice;
}

PrecisionChoice four_bits(const catalog::ModelSpec& model, const catalog::AcceleratorSpec& chip) {
  const bool experts = model.has_experts();
  const KernelFormat narrow = computes_fp4(chip)
                                  ? KernelFormat{Dtype::kNvfp4}
                                  : KernelFormat{Dtype::kBf16, KernelVariant::kWeightOnly4};
  PrecisionChoice choice{all_of(narrow),
                         find_weight_recipe(experts ? "nvfp4-feed-forward" : "nvfp4")};
  // Mixtures keep their attention wider.
  if (experts)
    choice.kernels.attention =
        has_latent_attention(model) ? eight_bits(chip, false) : KernelFormat{};
  return choice;
}

}  // namespace

bool has_latent_attention(const catalog::ModelSpec& model) {
  return std::any_of(model.kinds.begin(), model.kinds.end(), [](const auto& kind) {
    return kind.attention.kind == catalog::AttentionKind::kLatent;
  });
}

bool is_known_precision(std::string_view word) {
  constexpr std::array<std::string_view, 14> kStarts{"bf16",  "fp16",  "fp8",   "int8", "w8a8",
                                                     "w8a16", "mxfp4", "nvfp4", "fp4",  "int4",
                                                     "uint4", "awq",   "gptq",  "w4a16"};
  return std::any_of(kStarts.begin(), kStarts.end(), [word](std::string_view start) {
    return word.substr(0, start.size()) == start;
  });
}

PrecisionChoice choose_precision(std::string_view word, const catalog::ModelSpec& model,
                                 const catalog::AcceleratorSpec& chip) {
  const bool blocks = has_latent_attention(model);
  const auto starts = [&](std::string_view prefix) {
    return word.substr(0, prefix.size()) == prefix;
  };
  if (word == "fp8-weights/bf16" || word == "w8a16") {
    return {all_of({Dtype::kBf16, KernelVariant::kWeightOnly8}), find_weight_recipe("fp8")};
  }
  if (word == "int8-weights/bf16") {
    return {all_of({Dtype::kBf16, KernelVariant::kWeightOnly8}), find_weight_recipe("int8")};
  }
  if (word == "fp8-feed-forward") {
    PrecisionChoice choice{all_of(eight_bits(chip, false)), find_weight_recipe(word)};
    choice.kernels.attention = {};
    return choice;
  }
  if (starts("fp8")) {
    const bool released = blocks || word == "fp8-block";
    return {all_of(eight_bits(chip, released)), find_weight_recipe(released ? "fp8-block" : "fp8")};
  }
  if (starts("int8") || word == "w8a8") return {all_of({Dtype::kInt8}), find_weight_recipe("int8")};
  if (starts("mxfp4")) return narrow_experts(model, chip);
  if (starts("nvfp4") || starts("fp4")) return four_bits(model, chip);
  if (starts("int4") || starts("uint4") || starts("awq") || starts("gptq") || word == "w4a16") {
    return {all_of({Dtype::kBf16, KernelVariant::kWeightOnly4}), find_weight_recipe("int4-awq")};
  }
  if (starts("fp16")) return {{}, find_weight_recipe("fp16")};
  return {{}, starts("bf16") ? find_weight_recipe("bf16") : nullptr};
}

}  // namespace loadfactor::serving
