#include "catalog/import/hf_architecture.h"

#include <algorithm>
#include <array>

#include "catalog/import/hf_architecture_rows.h"

namespace loadfactor::catalog {
namespace {

// Names that stand for a row of another name: a wrapper around a text model, or the text part
// of one.
struct Synonym {
  std::string_view name;
  std::string_view model_type;
};
constexpr std::array kSynonyms{
    Synonym{"gemma3", "gemma3_text"},
    Synonym{"gemma4", "gemma4_text"},
    Synonym{"llama4", "llama4_text"},
    Synonym{"kimi_k25", "kimi_k2"},
    Synonym{"mistral3", "mistral"},
    Synonym{"qwen3_5_text", "qwen3_5"},
    Synonym{"qwen3_5_moe_text", "qwen3_5_moe"},
    Synonym{"llava", "llama"},
    Synonym{"qwen2_vl", "qwen2"},
    Synonym{"qwen2_vl_text", "qwen2"},
    Synonym{"qwen2_5_vl", "qwen2"},
    Synonym{"qwen2_5_vl_text", "qwen2"},
    Synonym{"camembert", "roberta"},
    Synonym{"clip_text_model", "clip"},
    Synonym{"siglip_text_model", "siglip"},
    Synonym{"grok", "grok-1"},
    Synonym{"RefinedWeb", "falcon"},
    Synonym{"RefinedWebModel", "falcon"},
    Synonym{"stablelm_epoch", "stablelm"},
};

}  // namespace

std::vector<HfArchitecture> hf_architectures() {
  std::vector<HfArchitecture> rows;
  for (const auto part : {hf_llama_rows(), hf_qwen_rows(), hf_expert_rows(), hf_gemma_rows(),
                          hf_classic_rows(), hf_encoder_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

const HfArchitecture* find_hf_architecture(std::string_view model_type) {
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.name == model_type) model_type = synonym.model_type;
  }
  for (const auto part : {hf_llama_rows(), hf_qwen_rows(), hf_expert_rows(), hf_gemma_rows(),
                          hf_classic_rows(), hf_encoder_rows()}) {
    const auto found = std::find_if(part.begin(), part.end(), [&](const HfArchitecture& row) {
      return row.model_type == model_type;
    });
    if (found != part.end()) return &*found;
  }
  return nullptr;
}

}  // namespace loadfactor::catalog
