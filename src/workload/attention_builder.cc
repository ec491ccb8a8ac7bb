#include "workload/attention_builder.h"

#include <utility>

#include "workload/core_attention.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionKind;
using catalog::AttentionSpec;
using catalog::KvSource;

void write_projections(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors) {
  const std::int64_t tokens = out.context().tokens();
  if (a.q_rank == 0) {
    out.gemm("attention.qkv", tokens,
             tensors.pick({"attention.q", "attention.gate", "attention.k", "attention.v",
                           "attention.q_bias", "attention.gate_bias", "attention.k_bias",
                           "attention.v_bias"}));
    return;
  }
  out.gemm("attention.q_a_kv", tokens,
           tensors.pick({"attention.q_a", "attention.gate", "attention.k", "attention.v",
                         "attention.gate_bias", "attention.k_bias", "attention.v_bias"}));
  out.norm("attention.q_norm", tokens * a.q_rank, tensors.pick({"attention.q_norm"}), true);
  out.save("attention.q_compressed", SavedPart::kProjection,
           2.0 * static_cast<double>(tokens * a.q_rank));
  out.gemm("attention.q_b", tokens, tensors.pick({"attention.q_b", "attention.q_bias"}));
}

void write_query_key_norm(OpWriter& out, const LocalTensors& tensors, std::int64_t elements) {
  const auto weights = tensors.pick({"attention.q_head_norm", "attention.k_head_norm",
                                     "attention.q_full_norm", "attention.k_full_norm"});
  if (weights.empty()) return;
  out.norm("attention.qk_norm", elements, weights, true);
  out.save("attention.qk_norm_input", SavedPart::kProjection, static_cast<double>(elements));
}

// Rotation in place, and the write into the cache when serving.
void write_rotation(OpWriter& out, std::int64_t rotated, std::int64_t cached) {
  const bool learned = out.context().model.embedding.positions > 0;
  const std::int64_t turned = learned ? 0 : rotated;
  const std::int64_t stored = out.context().batch.training ? 0 : cached;
  if (turned + stored == 0) return;
  out.pointwise("attention.rope", {.read = turned + stored,
                                   .written = turned + stored,
                                   .backward_read = turned,
                                   .backward_written = turned});
}

void write_output(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors,
                  std::int64_t width) {
  const std::int64_t tokens = out.context().tokens();
  if (a.gate) {
    out.pointwise("attention.gate", {.read = 2 * tokens * width,
                                     .written = tokens * width,
                                     .backward_read = 3 * tokens * width,
                                     .backward_written = 2 * tokens * width});
    out.save("attention.gate", SavedPart::kProjection, 2.0 * static_cast<double>(tokens * width));
  }
  if (a.out_rank > 0) {
    for (const WeightTensor& slice : tensors.pick({"attention.out_a"})) {
      out.batched_gemm("attention.out_a",
                       {.m = tokens, .n = slice.rows, .k = slice.columns, .batch = slice.copies},
                       {slice});
    }
    out.save("attention.output", SavedPart::kProjection, static_cast<double>(tokens * width));
    out.gemm("attention.out_b", tokens, tensors.pick({"attention.out_b", "attention.out_bias"}));
    out.save("attention.out_compressed", SavedPart::kProjection,
             static_cast<double>(tokens * a.out_groups * a.out_rank));
    return;
  }
  out.gemm("attention.out", tokens, tensors.pick({"attention.out", "attention.out_bias"}));
  out.save("attention.output", SavedPart::kProjection, static_cast<double>(tokens * width));
}

void write_standard_attention(OpWriter& out, const AttentionSpec& a) {
  const StepContext& step = out.context();
  const LocalTensors tensors(attention_tensors(step.model.hidden, a), step.sharding);
  const std::int64_t heads = share_of(a.heads, step.sharding.tp);
  const std::int64_t kv_heads = share_of(a.kv_heads, step.sharding.tp);
  const std::int64_t query = heads * a.head_dim;
  const std::int64_t key = a.kv == KvSource::kReuse ? 0 : kv_heads * a.head_dim;
  const std::int64_t tokens = step.tokens();
  write_projections(out, a, tensors);
  write_query_key_norm(out, tensors, tokens * (query + key));
  write_rotation(out, tokens * (query + key), tokens * 2 * key);
  write_indexer(out, a, tensors);
  const std::int64_t kv_copies = a.compress > 0 ? 1 : 2;
  write_core_attention(
      out, a,
      {.heads = heads,
       .kv_heads = kv_heads,
       .qk_dim = a.head_dim,
       .value_dim = a.head_dim,
       .kv_width = kv_copies * kv_heads * a.head_dim,
       .sinks = stored_bytes(tensors.pick({"attention.sinks"}), *step.options.recipe)},
      Groups::kAll);
  write_output(out, a, tensors, query);
}

// Scores every earlier token, compressed or not, against few heads, and picks the best.
Op index_op(const StepContext& step, const AttentionSpec& a, const SequenceGroup& group) {
  constexpr double kChoiceBytes = 4;  // A 32-bit position.
  const std::int64_t stride = a.compress > 0 ? a.compress : 1;
  const std::int64_t keys = share_of(group.past + group.new_tokens, stride);
  const double pairs =
      static_cast<double>(causal_pairs(group.new_tokens, group.past, 0) * group.sequences) /
      static_cast<double>(stride * step.sharding.cp);
  const auto tokens = static_cast<double>(step.local_tokens(group));
  const double width = static_cast<double>(a.index_heads) * a.index_dim;
  const Flops arithmetic = Flops::from_base(2.0 * pairs * width);
  const Bytes read =
      Bytes::from_base(static_cast<double>(group.sequences * keys) * a.index_dim + tokens * width);
  Op op{.name = "attention.index", .kind = OpKind::kAttention, .math = catalog::Dtype::kFp8};
  op.attention = {.sequences = group.sequences,
                  .queries = group.new_tokens,
                  .keys = keys,
                  .heads = a.index_heads,
                  .kv_heads = 1,
                  .qk_dim = a.index_dim,
                  .pairs = pairs};
  op.forward = {arithmetic, read, Bytes::from_base(kChoiceBytes * tokens * a.sparse_top_k),
                Bytes()};
  if (step.batch.training) op.backward_input = {arithmetic * 2.0, read, read, Bytes()};
  return op;
}

}  // namespace

void write_attention(OpWriter& out, const AttentionSpec& attention) {
  switch (attention.kind) {
    case AttentionKind::kNone:
      return;
    case AttentionKind::kStandard:
      return write_standard_attention(out, attention);
    case AttentionKind::kLatent:
      return write_latent_attention(out, attention);
    case AttentionKind::kLinear:
    case AttentionKind::kMamba2:
      break;
  }
  write_recurrent_mixer(out, attention);
}

bool gathers_compressed(const AttentionSpec& attention) {
  return attention.kind == AttentionKind::kLatent && attention.q_rank > 0;
}

void write_indexer(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors) {
  if (a.sparse_top_k == 0) return;
  const std::int64_t tokens = out.context().tokens();
  out.gemm("attention.index_q", tokens, tensors.pick({"attention.index_q"}));
  out.gemm("attention.index_k", tokens,
           tensors.pick({"attention.index_k", "attention.index_weights", "attention.index_norm"}));
  for (const SequenceGroup& group : out.context().batch.groups) {
    out.add(index_op(out.context(), a, group));
  }
}

}  // namespace loadfactor::workload
