// The blocks of a Hugging Face layer: attention in its five forms, the dense MLP, the experts.
#pragma once

#include "catalog/import/hf_layers.h"
#include "catalog/import/hf_text.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Reads the blocks once; layer() then puts together whatever layers the model has.
class HfBlocks {
 public:
  HfBlocks(HfText& text, const HfDimensions& sizes, const std::vector<HfLayer>& layers);

  LayerSpec layer(HfLayer layer) const;
  bool has_experts() const { return moe_.experts > 0; }

 private:
  const AttentionSpec& attention(HfMixer mixer) const;

  AttentionSpec full_;
  AttentionSpec window_;
  AttentionSpec linear_;
  AttentionSpec mamba_;
  AttentionSpec none_{.kind = AttentionKind::kNone};
  MlpSpec mlp_;
  MoeSpec moe_;
  int norms_ = 2;
  int width_factor_ = 1;  // Factor on the dense MLP in layers that reuse keys and values.
};

}  // namespace loadfactor::catalog
