// Tokens of a block of an engine's KV cache, as the simulator takes them: a power of two.
#pragma once

#include <algorithm>
#include <bit>

#include "catalog/spec/engine_spec.h"

namespace loadfactor::serving {

inline int cache_block(const catalog::EngineSpec& engine) {
  constexpr int kLargest = 128;
  const int tokens = std::clamp(engine.memory.block, 1, kLargest);
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(tokens)));
}

}  // namespace loadfactor::serving
