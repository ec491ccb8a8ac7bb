#include "workload/core_attention.h"

#include <algorithm>
#include <utility>

namespace loadfactor::workload {
namespace {

using catalog::AttentionSpec;

// Keys that the queries of one sequence read.
std::int64_t keys_in_reach(const AttentionSpec& attention, const SequenceGroup& group) {
  const std::int64_t all = group.past + group.new_tokens;
  const std::int64_t near =
      attention.window > 0 ? std::min(all, attention.window + group.new_tokens - 1) : all;
  // Queries of a prompt choose different keys, so together they read all.
  const bool selects = attention.sparse_top_k > 0 && group.decode;
  const std::int64_t most = selects ? attention.sparse_top_k : all;
  if (attention.compress > 0) return near + std::min(all / attention.compress, most);
  return std::min(near, most);
}

// Backward of flash attention computes the scores again: 5 products for 2.
double backward_factor(AttentionKernel kernel) {
  return kernel == AttentionKernel::kFlash ? 2.5 : 2.0;
}

void save_core(OpWriter& out, const AttentionShape& shape) {
  const BuildOptions& options = out.context().options;
  const auto tokens = static_cast<double>(shape.sequences * shape.queries);
  const double query_heads = tokens * static_cast<double>(shape.heads);
  const double key_heads = tokens * static_cast<double>(shape.kv_heads);
  out.save("attention.query", SavedPart::kProjection,
           query_heads * static_cast<double>(shape.qk_dim));
  out.save("attention.key", SavedPart::kProjection, key_heads * static_cast<double>(shape.qk_dim));
  out.save("attention.value", SavedPart::kProjection,
           key_heads * static_cast<double>(shape.value_dim));
  if (options.attention == AttentionKernel::kFlash) {
    constexpr double kFp32Bytes = 4;
    out.save_bytes("attention.logsumexp", SavedPart::kAttentionCore, kFp32Bytes * query_heads);
    return;
  }
  const double square = query_heads * static_cast<double>(shape.keys);
  out.save("attention.softmax", SavedPart::kAttentionCore, square);
  if (!options.dropout) return;
  out.save_bytes("attention.score_mask", SavedPart::kAttentionCore, square);
  out.save("attention.dropped_scores", SavedPart::kAttentionCore, square);
}

// Unfused scores are written and read twice: between product, softmax and product.
double score_bytes(const StepContext& step, const AttentionShape& shape) {
  if (step.options.attention == AttentionKernel::kFlash) return 0;
  return 2.0 * step.activation_bytes() * static_cast<double>(shape.heads * shape.sequences) *
         static_cast<double>(shape.queries * shape.keys);
}

AttentionShape shape_of(const StepContext& step, const AttentionSpec& attention,
                        const CoreAttention& core, const SequenceGroup& group) {
  const int cp = step.sharding.cp;
  const std::int64_t keys = keys_in_reach(attention, group);
  return {.sequences = group.sequences,
          .queries = group.decode ? group.new_tokens : share_of(group.new_tokens, cp),
          .keys = group.decode ? share_of(keys, cp) : keys,
          .heads = core.heads,
          .kv_heads = core.kv_heads,
          .qk_dim = core.qk_dim,
          .value_dim = core.value_dim,
          .pairs = attention_pairs(attention, group) * static_cast<double>(group.sequences) / cp};
}

Op core_op(const StepContext& step, const CoreAttention& core, const AttentionShape& shape) {
  Op op{.name = "attention.core", .kind = OpKind::kAttention, .math = step.options.activation};
  op.attention = shape;
  const auto head_tokens = static_cast<double>(shape.sequences * shape.queries * shape.heads);
  const double element = step.activation_bytes();
  const double query = head_tokens * static_cast<double>(shape.qk_dim) * element;
  const double output = head_tokens * static_cast<double>(shape.value_dim) * element;
  const double cache =
      static_cast<double>(shape.sequences * shape.keys * core.kv_width) * step.kv_bytes();
  const double scores = score_bytes(step, shape);
  const Flops arithmetic = Flops::from_base(2.0 * shape.pairs * static_cast<double>(shape.heads) *
                                            static_cast<double>(shape.qk_dim + shape.value_dim));
  op.forward = {arithmetic, Bytes::from_base(query + cache + scores) + core.sinks,
                Bytes::from_base(output + scores), core.sinks};
  if (step.batch.training) {
    op.backward_input = {arithmetic * backward_factor(step.options.attention),
                         Bytes::from_base(query + cache + 2 * output + 2 * scores),
                         Bytes::from_base(query + cache + 2 * scores), Bytes()};
  }
  return op;
}

// Context-parallel ranks gather each other's keys and values, and the gradients go back; for
// decodes the outputs over the ranks' shares of the cache are merged instead.
void write_context_collectives(OpWriter& out, const CoreAttention& core, Groups groups) {
  double gathered = 0;
  double merged = 0;
  for (const SequenceGroup& group : out.context().batch.groups) {
    if (!serves(groups, group)) continue;
    const auto tokens = static_cast<double>(group.tokens());
    if (group.decode) {
      merged += tokens * static_cast<double>(core.heads * core.value_dim);
    } else {
      gathered += tokens * static_cast<double>(core.kv_width);
    }
  }
  if (gathered > 0) {
    out.collective("attention.gather_context",
                   {OpKind::kAllGather, RankGroup::kContext, gathered, Pass::kForward});
    out.collective("attention.regather_context",
                   {OpKind::kAllGather, RankGroup::kContext, gathered, Pass::kBackward});
    out.collective("attention.scatter_context",
                   {OpKind::kReduceScatter, RankGroup::kContext, gathered, Pass::kBackward});
  }
  if (merged > 0) {
    out.collective("attention.merge_context",
                   {OpKind::kAllReduce, RankGroup::kContext, merged, Pass::kForward});
  }
}

}  // namespace

bool serves(Groups groups, const SequenceGroup& group) {
  return groups == Groups::kAll || (groups == Groups::kDecode) == group.decode;
}

double attention_pairs(const AttentionSpec& attention, const SequenceGroup& group) {
  const auto pairs = [&](std::int64_t window) {
    return static_cast<double>(causal_pairs(group.new_tokens, group.past, window));
  };
  if (attention.compress > 0) {
    const double far = pairs(0) / attention.compress;
    const double chosen = static_cast<double>(group.new_tokens) * attention.sparse_top_k;
    return pairs(attention.window) + (attention.sparse_top_k > 0 ? std::min(far, chosen) : far);
  }
  return pairs(attention.sparse_top_k > 0 ? attention.sparse_top_k : attention.window);
}

void write_core_attention(OpWriter& out, const AttentionSpec& attention, const CoreAttention& core,
                          Groups groups) {
  write_context_collectives(out, core, groups);
  for (const SequenceGroup& group : out.context().batch.groups) {
    if (!serves(groups, group)) continue;
    const AttentionShape shape = shape_of(out.context(), attention, core, group);
    out.add(core_op(out.context(), core, shape));
    save_core(out, shape);
  }
}

}  // namespace loadfactor::workload
