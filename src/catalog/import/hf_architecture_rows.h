// The rows of hf_architecture.h, by lineage.
#pragma once

#include <span>

#include "catalog/import/hf_architecture.h"

namespace loadfactor::catalog {

std::span<const HfArchitecture> hf_llama_rows();
std::span<const HfArchitecture> hf_qwen_rows();
std::span<const HfArchitecture> hf_expert_rows();
std::span<const HfArchitecture> hf_gemma_rows();
std::span<const HfArchitecture> hf_classic_rows();

}  // namespace loadfactor::catalog
