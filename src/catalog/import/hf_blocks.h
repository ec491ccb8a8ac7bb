// The blocks of a Hugging Face layer: attention in its five forms, the dense MLP, the experts.
#pragma once

#include "catalog/import/hf_layers.h"
#include "catalog/import/hf_text.h"
#include "catalog/model_spec.h"

namespace loadfactor::catalog {

// Reads the blocks once; layer() then puts together whatever layers the model has.
class HfBlocks {
 public:
  HfBlocks(HfText& text, const HfDimensions& sizes, const std::vector<HfLayer>& layers);

  LayerSpec layer(HfLayer layer) const;
  bool has_experts() const { return moe_.experts > 0; }

 private:
  AttentionSpec attention(HfMixer mixer) const;

  AttentionSpec full_;
  AttentionSpec linear_;
  AttentionSpec mamba_;
  MlpSpec mlp_;
  MoeSpec moe_;
  std::int64_t window_ = 0;
  int norms_ = 2;
};

}  // namespace loadfactor::catalog
