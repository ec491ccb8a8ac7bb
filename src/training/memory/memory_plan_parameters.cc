#include "training/memory/memory_plan_layer.h"
#include "training/memory/mixer_work.h"
#include "workload/layer_weights.h"

namespace loadfactor::training {
namespace {

using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::ModelSpec;

// Biases and convolutions of a mixer.
double mixer_vectors(const AttentionSpec& a) {
  if (has_state(a)) {
    const ScanWidths widths = scan_widths(a);
    return (widths.value + 2.0 * widths.key) * a.conv;
  }
  return a.qkv_bias ? (a.heads + key_projections(a) * a.kv_heads) * double(a.head_dim) : 0.0;
}

}  // namespace

LayerParameters layer_parameters(const ModelSpec& model, const LayerSpec& layer,
                                 const MemoryScale& scale) {
  const double hidden = model.hidden;
  const double per_norm = model.norm == catalog::NormKind::kLayer           ? 2.0
                          : model.norm == catalog::NormKind::kNonParametric ? 0.0
                                                                            : 1.0;
  const workload::LayerWeights weights = workload::layer_weights(model, layer);
  LayerParameters out;
  out.attention =
      (weights.mixer + mixer_vectors(layer.attention)) / scale.tp + per_norm * layer.norms * hidden;
  out.mlp = (weights.mlp + weights.shared) / scale.tp + weights.router + weights.per_layer;
  out.one_expert = weights.one_expert / scale.etp;
  out.experts = out.one_expert * layer.moe.experts / scale.ep;
  return out;
}

}  // namespace loadfactor::training
