// What can be seen of a replica from outside at an instant.
#pragma once

#include <cstdint>

#include "serving/simulator/policy.h"

namespace loadfactor::serving {

struct ReplicaState {
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  std::int64_t used_blocks = 0;    // Held by requests; idle blocks of the prefix cache are free.
  std::int64_t output_tokens = 0;  // Decoded since the start, of complete steps.
  std::int64_t prefill_tokens = 0;
};

// KV blocks as a shift: the number of tokens in a block is a power of two.
class BlockSize {
 public:
  explicit constexpr BlockSize(int tokens) : shift_(0) {
    while ((1 << shift_) < tokens) ++shift_;
  }
  constexpr std::int64_t tokens() const { return std::int64_t{1} << shift_; }
  constexpr std::int64_t blocks_for(std::int64_t token_count) const {
    return (token_count + tokens() - 1) >> shift_;
  }
  constexpr std::int64_t full_blocks(std::int64_t token_count) const {
    return token_count >> shift_;
  }
  constexpr std::int64_t within(std::int64_t token_count) const {
    return token_count & (tokens() - 1);
  }

 private:
  int shift_;
};

// The most KV blocks a request ever needs: its last token never enters the cache.
constexpr std::int64_t most_blocks(BlockSize size, std::int64_t prompt, std::int64_t output) {
  return size.blocks_for(prompt + output - 1);
}

// Whether a request can be served here at all.
constexpr bool can_ever_fit(const SchedulerRules& rules, std::int64_t prompt, std::int64_t output) {
  if (rules.max_context > 0 && prompt + output > rules.max_context) return false;
  return most_blocks(BlockSize(rules.block_tokens), prompt, output) <= rules.kv_blocks;
}

}  // namespace loadfactor::serving
