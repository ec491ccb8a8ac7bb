#include "engine/engine_defaults.h"

#include <algorithm>

namespace loadfactor::engine {
namespace {

// 0: the catalogue is silent.
std::int64_t least(std::int64_t listed, std::int64_t of_generation) {
  return listed > 0 ? std::min(listed, of_generation) : of_generation;
}

}  // namespace

EngineDefaults engine_defaults(const catalog::EngineSpec& engine,
                               const serving::EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip) {
  return {least(engine.batching.batched_tokens, traits.chunk_on(chip)),
          least(engine.batching.max_sequences, traits.max_sequences_on(chip))};
}

}  // namespace loadfactor::engine
