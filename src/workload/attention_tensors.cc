// The weights of every kind of mixer.
#include <string_view>
#include <utility>
#include <vector>

#include "workload/tensor_list.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::KvSource;

using Tensors = std::vector<WeightTensor>;

// `direct` is the product that makes queries without a latent of their own.
void add_query(TensorList& list, int hidden, const AttentionSpec& a, std::int64_t width,
               ProductRole direct) {
  if (a.q_rank == 0) {
    list.cut_rows(direct, "attention.q", width, hidden, a.heads);
    return;
  }
  list.whole(ProductRole::kMixerIn, "attention.q_a", a.q_rank, hidden);
  list.norm("attention.q_norm", a.q_rank);
  list.cut_rows(ProductRole::kQueryUp, "attention.q_b", width, a.q_rank, a.heads);
}

// Chooses which tokens to attend to; every rank does it whole.
void add_indexer(TensorList& list, int hidden, const AttentionSpec& a) {
  if (a.sparse_top_k == 0) return;
  list.whole(ProductRole::kIndexQuery, "attention.index_q",
             std::int64_t{a.index_heads} * a.index_dim, a.q_rank);
  list.whole(ProductRole::kIndexKey, "attention.index_k", a.index_dim, hidden);
  list.norm("attention.index_norm", 2 * std::int64_t{a.index_dim});
  list.whole(ProductRole::kIndexKey, "attention.index_weights", a.index_heads, hidden);
}

void add_qk_norm(TensorList& list, const AttentionSpec& a) {
  const bool has_key = a.kv != KvSource::kReuse;
  if (a.qk_norm == catalog::QkNorm::kHead) {
    list.norm("attention.q_head_norm", a.head_dim);
    if (has_key) list.norm("attention.k_head_norm", a.head_dim);
  }
  if (a.qk_norm == catalog::QkNorm::kFull) {
    list.norm("attention.q_full_norm", std::int64_t{a.heads} * a.head_dim);
    if (has_key) list.norm("attention.k_full_norm", std::int64_t{a.kv_heads} * a.head_dim);
  }
}

void add_output(TensorList& list, int hidden, const AttentionSpec& a, std::int64_t width) {
  if (a.out_rank == 0) {
    list.cut_columns(ProductRole::kMixerOut, "attention.out", hidden, width, a.heads);
  } else {
    // Each of out_groups slices of the heads goes to its own out_rank features.
    list.add({.name = "attention.out_a",
              .rows = a.out_rank,
              .columns = width / a.out_groups,
              .copies = a.out_groups,
              .split = Split::kRows,
              .units = a.out_rank,
              .role = ProductRole::kMixerGroups});
    list.cut_columns(ProductRole::kMixerOut, "attention.out_b", hidden,
                     std::int64_t{a.out_groups} * a.out_rank, a.out_groups);
  }
  if (a.out_bias) list.vector("attention.out_bias", hidden);
}

Tensors standard_attention(int hidden, const AttentionSpec& a) {
  TensorList list(Component::kAttention);
  const std::int64_t q = std::int64_t{a.heads} * a.head_dim;
  const std::int64_t kv = std::int64_t{a.kv_heads} * a.head_dim;
  const std::pair<std::string_view, std::string_view> names[] = {
      {"attention.k", "attention.k_bias"}, {"attention.v", "attention.v_bias"}};
  const int projections = a.kv == KvSource::kOwn ? 2 : (a.kv == KvSource::kTied ? 1 : 0);
  add_query(list, hidden, a, q, ProductRole::kMixerIn);
  if (a.gate) list.cut_rows(ProductRole::kMixerIn, "attention.gate", q, hidden, a.heads);
  for (int i = 0; i < projections; ++i)
    list.cut_rows(ProductRole::kMixerIn, names[i].first, kv, hidden, a.kv_heads);
  if (a.qkv_bias) {
    list.cut_vector("attention.q_bias", q, a.heads);
    if (a.gate) list.cut_vector("attention.gate_bias", q, a.heads);
    for (int i = a.key_bias ? 0 : 1; i < projections; ++i)
      list.cut_vector(names[i].second, kv, a.kv_heads);
  }
  add_qk_norm(list, a);
  if (a.sinks) list.cut_vector("attention.sinks", a.heads, a.heads);
  add_output(list, hidden, a, q);
  add_indexer(list, hidden, a);
  return std::move(list).take();
}

Tensors latent_attention(int hidden, const AttentionSpec& a) {
  TensorList list(Component::kAttention);
  const std::int64_t heads = a.heads;
  add_query(list, hidden, a, heads * (a.nope_dim + a.rope_dim), ProductRole::kQueryUp);
  list.whole(ProductRole::kMixerIn, "attention.kv_a", a.kv_rank + a.rope_dim, hidden);
  list.norm("attention.kv_norm", a.kv_rank);
  list.cut_rows(ProductRole::kKeyValueUp, "attention.k_b", heads * a.nope_dim, a.kv_rank, heads);
  list.cut_rows(ProductRole::kKeyValueUp, "attention.v_b", heads * a.value_dim, a.kv_rank, heads);
  add_output(list, hidden, a, heads * a.value_dim);
  add_indexer(list, hidden, a);
  return std::move(list).take();
}

Tensors linear_attention(int hidden, const AttentionSpec& a) {
  TensorList list(Component::kAttention);
  const std::int64_t key = std::int64_t{a.key_heads} * a.key_dim;
  const std::int64_t value = std::int64_t{a.value_heads} * a.value_dim;
  list.cut_rows(ProductRole::kMixerIn, "attention.q", key, hidden, a.key_heads);
  list.cut_rows(ProductRole::kMixerIn, "attention.k", key, hidden, a.key_heads);
  list.cut_rows(ProductRole::kMixerIn, "attention.v", value, hidden, a.value_heads);
  list.cut_rows(ProductRole::kMixerIn, "attention.z", value, hidden, a.value_heads);
  list.cut_rows(ProductRole::kHeadNumbers, "attention.beta", a.value_heads, hidden, a.value_heads);
  list.cut_rows(ProductRole::kHeadNumbers, "attention.decay", a.value_heads, hidden, a.value_heads);
  list.cut_vector("attention.conv_q", key * a.conv, a.key_heads);
  list.cut_vector("attention.conv_k", key * a.conv, a.key_heads);
  list.cut_vector("attention.conv_v", value * a.conv, a.value_heads);
  list.cut_vector("attention.a_log", a.value_heads, a.value_heads);
  list.cut_vector("attention.dt_bias", a.value_heads, a.value_heads);
  list.norm("attention.gated_norm", a.value_dim);
  list.cut_columns(ProductRole::kMixerOut, "attention.out", hidden, value, a.value_heads);
  return std::move(list).take();
}

Tensors mamba2(int hidden, const AttentionSpec& a) {
  TensorList list(Component::kAttention);
  const std::int64_t inner = std::int64_t{a.value_heads} * a.value_dim;
  const std::int64_t state = std::int64_t{a.groups} * a.key_dim;
  const std::int64_t taps = a.conv + 1;  // With the bias.
  list.cut_rows(ProductRole::kMixerIn, "attention.z", inner, hidden, a.value_heads);
  list.cut_rows(ProductRole::kMixerIn, "attention.x", inner, hidden, a.value_heads);
  list.cut_rows(ProductRole::kMixerIn, "attention.b", state, hidden, a.groups);
  list.cut_rows(ProductRole::kMixerIn, "attention.c", state, hidden, a.groups);
  list.cut_rows(ProductRole::kHeadNumbers, "attention.dt", a.value_heads, hidden, a.value_heads);
  list.cut_vector("attention.conv_x", inner * taps, a.value_heads);
  list.cut_vector("attention.conv_b", state * taps, a.groups);
  list.cut_vector("attention.conv_c", state * taps, a.groups);
  list.cut_vector("attention.a_log", a.value_heads, a.value_heads);
  list.cut_vector("attention.d", a.value_heads, a.value_heads);
  list.cut_vector("attention.dt_bias", a.value_heads, a.value_heads);
  list.add({.name = "attention.gated_norm",
            .rows = inner,
            .split = Split::kRows,
            .units = a.value_heads});
  list.cut_columns(ProductRole::kMixerOut, "attention.out", hidden, inner, a.value_heads);
  return std::move(list).take();
}

}  // namespace

Tensors cross_tensors(int hidden, const AttentionSpec& a) {
  TensorList list(Component::kAttention);
  const std::int64_t q = std::int64_t{a.heads} * a.head_dim;
  const std::int64_t kv = std::int64_t{a.kv_heads} * a.head_dim;
  list.cut_rows(ProductRole::kMixerIn, "cross.q", q, hidden, a.heads);
  list.cut_rows(ProductRole::kOutside, "cross.k", kv, hidden, a.kv_heads);
  list.cut_rows(ProductRole::kOutside, "cross.v", kv, hidden, a.kv_heads);
  list.cut_columns(ProductRole::kMixerOut, "cross.out", hidden, q, a.heads);
  if (a.qkv_bias) {
    list.cut_vector("cross.q_bias", q, a.heads);
    if (a.key_bias) list.cut_vector("cross.k_bias", kv, a.kv_heads);
    list.cut_vector("cross.v_bias", kv, a.kv_heads);
  }
  if (a.out_bias) list.vector("cross.out_bias", hidden);
  return std::move(list).take();
}

Tensors attention_tensors(int hidden, const AttentionSpec& attention) {
  switch (attention.kind) {
    case AttentionKind::kNone:
      return {};
    case AttentionKind::kStandard:
      return standard_attention(hidden, attention);
    case AttentionKind::kLatent:
      return latent_attention(hidden, attention);
    case AttentionKind::kLinear:
      return linear_attention(hidden, attention);
    case AttentionKind::kMamba2:
      break;
  }
  return mamba2(hidden, attention);
}

}  // namespace loadfactor::workload
