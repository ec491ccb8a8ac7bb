// The rows of hf_architecture.h, by lineage.
#pragma once

#include <span>

#include "catalog/import/hf_architecture.h"

namespace loadfactor::catalog {

// Parts that rows of several lineages share.
inline constexpr HfFlag kAttentionBias{.key = "attention_bias"};
inline constexpr HfFlag kAlways{.otherwise = true};
inline constexpr HfMoe kMixtralMoe{.experts = 8, .top_k = 2};

std::span<const HfArchitecture> hf_llama_rows();
std::span<const HfArchitecture> hf_qwen_rows();
std::span<const HfArchitecture> hf_expert_rows();
std::span<const HfArchitecture> hf_gemma_rows();
std::span<const HfArchitecture> hf_classic_rows();
std::span<const HfArchitecture> hf_encoder_rows();

}  // namespace loadfactor::catalog
