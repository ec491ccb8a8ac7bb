// The kernels that attend, and what they need from other context-parallel ranks.
#pragma once

#include <cstdint>

#include "catalog/spec/model_spec.h"
#include "workload/op_writer.h"

namespace loadfactor::workload {

// Heads and widths on one tensor-parallel rank.
struct CoreAttention {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t qk_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t kv_width = 0;  // Elements read per cached token.
  Bytes sinks;                // Learned logits that every head reads.
};

// Which groups of the batch a kernel serves.
enum class Groups : std::uint8_t { kAll, kContext, kDecode };
bool serves(Groups groups, const SequenceGroup& group);

// One kernel per group of sequences.
void write_core_attention(OpWriter& out, const catalog::AttentionSpec& attention,
                          const CoreAttention& core, Groups groups);

// Query-key pairs of one head and one sequence under everything that limits them: the causal
// mask, a window, selection of keys, compression of the past.
double attention_pairs(const catalog::AttentionSpec& attention, const SequenceGroup& group);

}  // namespace loadfactor::workload
