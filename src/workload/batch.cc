#include "workload/batch.h"

#include <algorithm>

#include "base/check.h"

namespace loadfactor::workload {

std::int64_t Batch::tokens() const {
  std::int64_t sum = 0;
  for (const SequenceGroup& group : groups) sum += group.tokens();
  return sum;
}

Batch training_batch(std::int64_t sequences, std::int64_t tokens) {
  LF_CHECK(sequences > 0 && tokens > 0, "a batch has sequences and tokens");
  return {.groups = {{.sequences = sequences, .new_tokens = tokens}},
          .logit_rows = sequences * tokens,
          .training = true};
}

Batch prefill_batch(std::int64_t sequences, std::int64_t tokens, std::int64_t past) {
  LF_CHECK(sequences > 0 && tokens > 0 && past >= 0, "a batch has sequences and tokens");
  return {.groups = {{.sequences = sequences, .new_tokens = tokens, .past = past}},
          .logit_rows = sequences};
}

Batch decode_batch(std::int64_t sequences, std::int64_t context) {
  LF_CHECK(sequences > 0 && context >= 0, "a batch has sequences");
  return {.groups = {{.sequences = sequences, .past = context, .decode = true}},
          .logit_rows = sequences};
}

Batch mixed_batch(const Batch& a, const Batch& b) {
  Batch mixed = a;
  mixed.groups.insert(mixed.groups.end(), b.groups.begin(), b.groups.end());
  mixed.logit_rows += b.logit_rows;
  mixed.training = a.training || b.training;
  return mixed;
}

std::int64_t causal_pairs(std::int64_t new_tokens, std::int64_t past, std::int64_t window) {
  // Queries that see everything before them come first, then those the window holds back.
  const std::int64_t free =
      window == 0 ? new_tokens : std::clamp<std::int64_t>(window - past, 0, new_tokens);
  return free * past + free * (free + 1) / 2 + (new_tokens - free) * window;
}

}  // namespace loadfactor::workload
