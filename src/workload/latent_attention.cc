// Latent attention (MLA) in both its forms.
//
// Prompts and training expand the latent into keys and values of every head; decodes work on
// the compressed cache itself, with the expansion absorbed into the query and the output
// [DeepSeek-V2, 2.1]. The down-projections are the same on every tensor-parallel rank and run
// on its own tokens under sequence parallelism, so that only the compressed width is gathered.
#include <cstdint>

#include "workload/attention_builder.h"
#include "workload/core_attention.h"

namespace loadfactor::workload {
namespace {

using catalog::AttentionSpec;

struct TokenCounts {
  std::int64_t context = 0;   // New tokens of prompts and training.
  std::int64_t expanded = 0;  // Those, and the cached ones they attend to.
  std::int64_t decode = 0;
};

TokenCounts count_tokens(const StepContext& step) {
  TokenCounts counts;
  for (const SequenceGroup& group : step.batch.groups) {
    const std::int64_t tokens = step.local_tokens(group);
    if (group.decode) {
      counts.decode += tokens;
    } else {
      counts.context += tokens;
      counts.expanded += tokens + share_of(group.sequences * group.past, step.sharding.cp);
    }
  }
  return counts;
}

void write_down_projections(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors) {
  const StepContext& step = out.context();
  const bool compresses = gathers_compressed(a);
  const std::int64_t rows = compresses ? step.residual_tokens() : step.tokens();
  const std::int64_t width = a.q_rank + a.kv_rank + a.rope_dim;
  out.gemm("attention.down", rows, tensors.pick({"attention.q_a", "attention.kv_a"}));
  out.norm("attention.latent_norm", rows * (a.q_rank + a.kv_rank),
           tensors.pick({"attention.q_norm", "attention.kv_norm"}), true);
  out.save("attention.latent", SavedPart::kProjection, static_cast<double>(rows * width));
  out.save("attention.latent_normed", SavedPart::kNormOutput,
           static_cast<double>(rows * (a.q_rank + a.kv_rank)));
  if (!compresses || !step.sharding.sp) return;
  const auto gathered = static_cast<double>(step.tokens() * width);
  out.collective("attention.gather",
                 {OpKind::kAllGather, RankGroup::kTensor, gathered, Pass::kForward});
  out.collective("attention.regather",
                 {OpKind::kAllGather, RankGroup::kTensor, gathered, Pass::kBackward});
  out.collective("attention.scatter_gradient",
                 {OpKind::kReduceScatter, RankGroup::kTensor, gathered, Pass::kBackward});
}

void write_expanded(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors,
                    const TokenCounts& counts) {
  if (counts.context == 0) return;
  const std::int64_t heads = share_of(a.heads, out.context().sharding.tp);
  out.gemm("attention.kv_b", counts.expanded, tensors.pick({"attention.k_b", "attention.v_b"}));
  write_core_attention(out, a,
                       {.heads = heads,
                        .kv_heads = heads,
                        .qk_dim = a.nope_dim + a.rope_dim,
                        .value_dim = a.value_dim,
                        .kv_width = heads * (a.nope_dim + a.rope_dim + a.value_dim)},
                       Groups::kContext);
}

void write_absorbed(OpWriter& out, const AttentionSpec& a, const LocalTensors& tensors,
                    const TokenCounts& counts) {
  if (counts.decode == 0) return;
  const std::int64_t heads = share_of(a.heads, out.context().sharding.tp);
  out.batched_gemm("attention.k_absorbed",
                   {.m = counts.decode, .n = a.kv_rank, .k = a.nope_dim, .batch = heads},
                   tensors.pick({"attention.k_b"}));
  write_core_attention(out, a,
                       {.heads = heads,
                        .kv_heads = 1,
                        .qk_dim = a.kv_rank + a.rope_dim,
                        .value_dim = a.kv_rank,
                        .kv_width = a.kv_rank + a.rope_dim},
                       Groups::kDecode);
  out.batched_gemm("attention.v_absorbed",
                   {.m = counts.decode, .n = a.value_dim, .k = a.kv_rank, .batch = heads},
                   tensors.pick({"attention.v_b"}));
}

}  // namespace

void write_latent_attention(OpWriter& out, const AttentionSpec& a) {
  const StepContext& step = out.context();
  const LocalTensors tensors(attention_tensors(step.model.hidden, a), step.sharding);
  const std::int64_t heads = share_of(a.heads, step.sharding.tp);
  const std::int64_t tokens = step.tokens();
  const TokenCounts counts = count_tokens(step);
  write_down_projections(out, a, tensors);
  out.gemm("attention.q_b", tokens, tensors.pick({"attention.q", "attention.q_b"}));
  write_indexer(out, a, tensors);
  const std::int64_t rotated = tokens * (heads + 1) * a.rope_dim;
  const std::int64_t stored = step.batch.training ? 0 : tokens * (a.kv_rank + a.rope_dim);
  out.pointwise("attention.rope", {.read = rotated + stored,
                                   .written = rotated + stored,
                                   .backward_read = rotated,
                                   .backward_written = rotated});
  write_expanded(out, a, tensors, counts);
  write_absorbed(out, a, tensors, counts);
  out.gemm("attention.out", tokens, tensors.pick({"attention.out", "attention.out_bias"}));
  out.save("attention.output", SavedPart::kProjection,
           static_cast<double>(tokens * heads * a.value_dim));
}

}  // namespace loadfactor::workload
