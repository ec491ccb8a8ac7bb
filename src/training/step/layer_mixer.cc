#include <algorithm>

#include "training/memory/mixer_work.h"
#include "training/step/layer_sum.h"

namespace loadfactor::training {

namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;

// Tokens are scored by a few narrow heads, which say what the others look at.
void add_index(LayerSum& sum, const AttentionSpec& spec) {
  if (spec.index_heads == 0) return;
  const double heads = spec.index_heads;
  const double dim = spec.index_dim;
  sum.time.gemm += sum.linear(sum.tokens, heads * dim, spec.q_rank);
  sum.time.gemm += sum.linear(sum.tokens, heads + dim, sum.hidden());
  const double length = static_cast<double>(sum.job.sequence) / std::max(1, spec.compress);
  sum.time.attention +=
      attention_time(sum.context, {sum.tokens, mean_keys(length, 0), length, heads, dim, 0.0});
}

void add_standard_attention(LayerSum& sum, const AttentionSpec& spec) {
  const double query = spec.heads * spec.head_dim / sum.tp();
  const double key = std::max(1.0, spec.kv_heads / sum.tp()) * spec.head_dim;
  const double first = spec.q_rank > 0 ? spec.q_rank : query;
  const double gate = spec.gate ? query : 0.0;
  sum.time.gemm += sum.linear(sum.tokens, first + gate + key_projections(spec) * key, sum.hidden());
  if (spec.q_rank > 0) sum.time.gemm += sum.linear(sum.tokens, query, spec.q_rank);
  double out = query;
  if (spec.out_rank > 0) {
    const double groups = std::max(1.0, spec.out_groups / sum.tp());
    sum.time.gemm += sum.linear(sum.tokens, spec.out_rank, query / groups, groups);
    out = groups * spec.out_rank;
  }
  sum.time.gemm += sum.linear(sum.tokens, sum.hidden(), out);
  const double length = static_cast<double>(sum.job.sequence);
  sum.time.attention += attention_time(
      sum.context, {sum.tokens, attended_keys(spec, length), length, spec.heads / sum.tp(),
                    double(spec.head_dim), double(spec.head_dim)});
  add_index(sum, spec);
  sum.pointwise += sum.tokens * 2.0 * (query + key);
}

void add_latent_attention(LayerSum& sum, const AttentionSpec& spec) {
  const double heads = spec.heads / sum.tp();
  const double key_dim = spec.nope_dim + spec.rope_dim;
  const double compressed = spec.q_rank + spec.kv_rank + spec.rope_dim;
  sum.time.gemm += sum.linear(sum.tokens, compressed, sum.hidden());
  PassTimes up =
      sum.linear(sum.tokens, heads * key_dim, spec.q_rank > 0 ? spec.q_rank : sum.hidden());
  up += sum.linear(sum.tokens, heads * (spec.nope_dim + spec.value_dim), spec.kv_rank);
  sum.time.gemm += up;
  sum.time.modules.latent_up = up.forward;
  sum.time.gemm += sum.linear(sum.tokens, sum.hidden(), heads * spec.value_dim);
  const double length = static_cast<double>(sum.job.sequence);
  sum.time.attention += attention_time(
      sum.context,
      {sum.tokens, attended_keys(spec, length), length, heads, key_dim, double(spec.value_dim)});
  add_index(sum, spec);
  sum.pointwise += sum.tokens * 2.0 * heads * (2.0 * key_dim + spec.value_dim);
}

// A state per sequence instead of keys: projections, products inside chunks of tokens and with
// the states between them, and a few passes over the inputs.
void add_state_mixer(LayerSum& sum, const AttentionSpec& spec) {
  const ScanWidths widths = scan_widths(spec);
  const double value = widths.value / sum.tp();
  const double key = widths.key / sum.tp();
  const double heads = (widths.products - 1.0) * spec.value_heads / sum.tp();
  sum.time.gemm += sum.linear(sum.tokens, 2.0 * value + 2.0 * key + heads, sum.hidden());
  sum.time.gemm += sum.linear(sum.tokens, sum.hidden(), value);
  const double inside = static_cast<double>(widths.chunk) * (value + key);
  const double work = 2.0 * (inside + widths.products * widths.state / sum.tp());
  sum.time.attention += scan_time(sum.context, Flops::from_base(sum.tokens * work));
  sum.pointwise += sum.tokens * sum.constant(Constant::kScanPasses) * (value + key);
}

}  // namespace

void add_mixer(LayerSum& sum, const AttentionSpec& spec) {
  switch (spec.kind) {
    case AttentionKind::kNone:
      break;
    case AttentionKind::kStandard:
      add_standard_attention(sum, spec);
      break;
    case AttentionKind::kLatent:
      add_latent_attention(sum, spec);
      break;
    case AttentionKind::kLinear:
    case AttentionKind::kMamba2:
      add_state_mixer(sum, spec);
      break;
  }
}

}  // namespace loadfactor::training
