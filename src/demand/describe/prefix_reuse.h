// How much of the prompts a cache of prefixes would save, by its size.
//
// A block is found if it and all blocks before it of the same prompt are cached; the cache throws
// out what was used longest ago. One pass gives every size at once: a block is found by all caches
// larger than its stack distance [Mattson 1970], here the largest of its prompt so far.
#pragma once

#include <cstdint>
#include <vector>

#include "demand/trace.h"

namespace loadfactor::demand {

struct PrefixReuse {
  std::int64_t total_blocks = 0;
  std::int64_t unique_blocks = 0;
  double unlimited_hit = 0;  // Share of the input tokens that a cache without limit finds.

  // The same for a cache of this many blocks.
  double hit(std::int64_t cached_blocks) const;

  // Pairs of a size in blocks and the tokens that become found there, by size.
  struct Gain {
    std::int64_t blocks = 0;
    std::int64_t tokens = 0;
  };
  std::vector<Gain> gains;
  std::int64_t input_tokens = 0;
};

PrefixReuse measure_prefix_reuse(const Trace& trace);

}  // namespace loadfactor::demand
