#include "training/memory/mixer_work.h"

#include <algorithm>

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::KvSource;

double standard_weights(const AttentionSpec& a, double hidden) {
  const double query = double(a.heads) * a.head_dim;
  const double key = double(a.kv_heads) * a.head_dim;
  double sum = a.q_rank > 0 ? (hidden + query) * a.q_rank : hidden * query;
  if (a.gate) sum += hidden * query;
  sum += key_projections(a) * hidden * key;
  sum += a.out_rank > 0 ? (query + a.out_groups * hidden) * a.out_rank : query * hidden;
  return sum;
}

double latent_weights(const AttentionSpec& a, double hidden) {
  const double query = double(a.heads) * (a.nope_dim + a.rope_dim);
  double sum = a.q_rank > 0 ? (hidden + query) * a.q_rank : hidden * query;
  sum += hidden * (a.kv_rank + a.rope_dim);
  sum += double(a.kv_rank) * a.heads * (a.nope_dim + a.value_dim);
  return sum + double(a.heads) * a.value_dim * hidden;
}

double state_weights(const AttentionSpec& a, double hidden) {
  const ScanWidths widths = scan_widths(a);
  // Value, gate and output; what writes and what reads; decay, and the delta rule's strength.
  return hidden * (3.0 * widths.value + 2.0 * widths.key + (widths.products - 1.0) * a.value_heads);
}

}  // namespace

bool has_state(const AttentionSpec& spec) {
  return spec.kind == AttentionKind::kLinear || spec.kind == AttentionKind::kMamba2;
}

ScanWidths scan_widths(const AttentionSpec& spec) {
  const bool linear = spec.kind == AttentionKind::kLinear;
  ScanWidths widths;
  widths.value = double(spec.value_heads) * spec.value_dim;
  widths.key = double(linear ? spec.key_heads : spec.groups) * spec.key_dim;
  widths.state = widths.value * spec.key_dim;
  widths.products = linear ? 3.0 : 2.0;
  widths.chunk = linear ? 64 : 128;
  return widths;
}

double key_projections(const AttentionSpec& spec) {
  switch (spec.kv) {
    case KvSource::kOwn:
      return 2.0;
    case KvSource::kTied:
      return 1.0;
    case KvSource::kReuse:
      return 0.0;
  }
  return 2.0;
}

double mixer_weights(const AttentionSpec& spec, double hidden) {
  const double index = double(spec.index_heads) * spec.index_dim * spec.q_rank +
                       hidden * (spec.index_dim + spec.index_heads);
  switch (spec.kind) {
    case AttentionKind::kNone:
      return 0.0;
    case AttentionKind::kStandard:
      return standard_weights(spec, hidden) + index;
    case AttentionKind::kLatent:
      return latent_weights(spec, hidden) + index;
    case AttentionKind::kLinear:
    case AttentionKind::kMamba2:
      return state_weights(spec, hidden);
  }
  return 0.0;
}

double mean_keys(double sequence, double window) {
  if (window <= 0 || window >= sequence) return sequence / 2.0;
  return window - window * window / (2.0 * sequence);
}

double attended_keys(const AttentionSpec& spec, double sequence) {
  const double near = mean_keys(sequence, double(spec.window));
  const double most = double(spec.sparse_top_k);
  if (spec.compress == 0) return most > 0 ? std::min(near, mean_keys(sequence, most)) : near;
  const double entries = sequence / spec.compress;
  return near + mean_keys(entries, most);
}

}  // namespace loadfactor::training
