// What an engine runs with where a scenario does not say.
#pragma once

#include <cstdint>

#include "catalog/accelerator_spec.h"
#include "catalog/engine_spec.h"
#include "serving/engine_traits.h"

namespace loadfactor::engine {

struct EngineDefaults {
  std::int64_t chunk = 0;  // Prompt tokens per step.
  std::int64_t max_sequences = 0;
};

// As the catalogue lists them (`loadfactor catalog engines`); the engine's generation has less on
// smaller cards.
EngineDefaults engine_defaults(const catalog::EngineSpec& engine,
                               const serving::EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::engine
