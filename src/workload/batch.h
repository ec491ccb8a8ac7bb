// What one forward pass works on: groups of sequences that are alike.
#pragma once

#include <cstdint>
#include <vector>

namespace loadfactor::workload {

// Sequences with the same number of new tokens and the same number already in the cache.
struct SequenceGroup {
  std::int64_t sequences = 1;
  std::int64_t new_tokens = 1;
  std::int64_t past = 0;
  bool decode = false;  // Generates: latent attention works on the compressed cache.

  std::int64_t tokens() const { return sequences * new_tokens; }
};

struct Batch {
  std::vector<SequenceGroup> groups;
  std::int64_t logit_rows = 0;  // Positions whose next token is wanted.
  bool training = false;        // Keeps activations and computes a loss.

  std::int64_t tokens() const;
};

// A micro-batch of whole sequences; every position has a loss.
Batch training_batch(std::int64_t sequences, std::int64_t tokens);

// Prompts, or chunks of them after `past` tokens; one next token each.
Batch prefill_batch(std::int64_t sequences, std::int64_t tokens, std::int64_t past = 0);

// One new token for each sequence, after `context` cached ones.
Batch decode_batch(std::int64_t sequences, std::int64_t context);

// Several at once (chunked prefill beside decodes).
Batch mixed_batch(const Batch& a, const Batch& b);

// Query-key pairs of one head and one sequence under a causal mask: query i of `new_tokens`
// sees past + i + 1 keys, itself included, but at most `window` of them (0: all).
std::int64_t causal_pairs(std::int64_t new_tokens, std::int64_t past, std::int64_t window);

}  // namespace loadfactor::workload
