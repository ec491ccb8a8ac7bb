#include "training/memory/memory_plan_layer.h"
#include "training/memory/mixer_work.h"

namespace loadfactor::training {
namespace {

using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::ModelSpec;

double matrices(MlpKind kind) {
  return kind == MlpKind::kGated ? 3.0 : 2.0;
}

// Matrices, and the biases and convolutions beside them.
double mixer_parameters(const AttentionSpec& a, double hidden) {
  double sum = mixer_weights(a, hidden);
  if (has_state(a)) {
    const ScanWidths widths = scan_widths(a);
    sum += (widths.value + 2.0 * widths.key) * a.conv;
  } else if (a.qkv_bias) {
    sum += (a.heads + key_projections(a) * a.kv_heads) * double(a.head_dim);
  }
  return sum;
}

}  // namespace

LayerParameters layer_parameters(const ModelSpec& model, const LayerSpec& layer,
                                 const MemoryScale& scale) {
  const double hidden = model.hidden;
  const double per_norm = model.norm == catalog::NormKind::kLayer           ? 2.0
                          : model.norm == catalog::NormKind::kNonParametric ? 0.0
                                                                            : 1.0;
  LayerParameters out;
  out.attention =
      mixer_parameters(layer.attention, hidden) / scale.tp + per_norm * layer.norms * hidden;
  out.mlp = matrices(layer.mlp.kind) * hidden * layer.mlp.width / scale.tp;
  const auto& moe = layer.moe;
  if (moe.experts == 0) return out;
  const double width = moe.latent > 0 ? moe.latent : hidden;
  out.mlp += matrices(moe.kind) * hidden * moe.shared_width / scale.tp;
  out.mlp += hidden * moe.experts;  // The router is on every rank.
  out.mlp += 2.0 * hidden * moe.latent / scale.tp;
  out.one_expert = matrices(moe.kind) * width * moe.width / scale.etp;
  out.experts = out.one_expert * moe.experts / scale.ep;
  return out;
}

}  // namespace loadfactor::training
