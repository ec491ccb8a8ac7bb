// Which generation of an engine runs, and with what where a scenario does not say.
#pragma once

#include <cstdint>
#include <string_view>

#include "catalog/accelerator_spec.h"
#include "catalog/engine_spec.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// Of a release where one is named, else the one the catalogue names, else the latest. vLLM on
// other chips than NVIDIA's is a generation of its own.
EngineEra generation_of(const catalog::EngineSpec& engine, std::string_view release,
                        const catalog::AcceleratorSpec& chip);

struct EngineDefaults {
  std::int64_t chunk = 0;  // Prompt tokens per step.
  std::int64_t max_sequences = 0;
};

// As the catalogue lists them (`loadfactor catalog engines`); the engine's generation has less on
// smaller cards.
EngineDefaults engine_defaults(const catalog::EngineSpec& engine, const EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::serving
