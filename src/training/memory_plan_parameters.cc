#include "training/memory_plan_layer.h"

namespace loadfactor::training {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::LayerSpec;
using catalog::MlpKind;
using catalog::ModelSpec;

double matrices(MlpKind kind) {
  return kind == MlpKind::kGated ? 3.0 : 2.0;
}

double standard_parameters(const AttentionSpec& a, double hidden) {
  const double query = static_cast<double>(a.heads) * a.head_dim;
  const double key = static_cast<double>(a.kv_heads) * a.head_dim;
  const double copies = a.kv == catalog::KvSource::kOwn    ? 2.0
                        : a.kv == catalog::KvSource::kTied ? 1.0
                                                           : 0.0;
  double sum = a.q_rank > 0 ? (hidden + query) * a.q_rank : hidden * query;
  if (a.gate) sum += hidden * query;
  sum += copies * hidden * key;
  sum += a.out_rank > 0
             ? query * a.out_rank + static_cast<double>(a.out_groups) * a.out_rank * hidden
             : query * hidden;
  if (a.qkv_bias) sum += query + copies * key;
  return sum;
}

double latent_parameters(const AttentionSpec& a, double hidden) {
  const double query = static_cast<double>(a.heads) * (a.nope_dim + a.rope_dim);
  double sum = a.q_rank > 0 ? (hidden + query) * a.q_rank : hidden * query;
  sum += hidden * (a.kv_rank + a.rope_dim);
  sum += static_cast<double>(a.kv_rank) * a.heads * (a.nope_dim + a.value_dim);
  return sum + static_cast<double>(a.heads) * a.value_dim * hidden;
}

double mixer_parameters(const AttentionSpec& a, double hidden) {
  const double keys = static_cast<double>(a.key_heads) * a.key_dim;
  const double values = static_cast<double>(a.value_heads) * a.value_dim;
  const double index = static_cast<double>(a.index_heads) * a.index_dim * a.q_rank +
                       hidden * (a.index_dim + a.index_heads);
  switch (a.kind) {
    case AttentionKind::kNone:
      return 0.0;
    case AttentionKind::kStandard:
      return standard_parameters(a, hidden) + index;
    case AttentionKind::kLatent:
      return latent_parameters(a, hidden) + index;
    case AttentionKind::kLinear:
      return hidden * (2 * keys + 3 * values + 2.0 * a.value_heads) + (2 * keys + values) * a.conv;
    case AttentionKind::kMamba2: {
      const double mixed = values + 2.0 * a.groups * a.key_dim;
      return hidden * (2 * values + mixed + a.value_heads) + mixed * a.conv;
    }
  }
  return 0.0;
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
