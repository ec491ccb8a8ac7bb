#include "serving/generation.h"

#include <algorithm>
#include <string>

namespace loadfactor::serving {
namespace {

bool runs_on(const catalog::AcceleratorSpec& chip, std::string_view stack) {
  return std::find(chip.stack.begin(), chip.stack.end(), stack) != chip.stack.end();
}

EngineEra listed_or_latest(const catalog::EngineSpec& engine) {
  for (std::size_t i = 0; i < kNumEras; ++i) {
    const auto era = static_cast<EngineEra>(i);
    if (name(era) == engine.generation) return era;
  }
  return find_era(engine.name, "", 0);
}

std::int64_t least(std::int64_t listed, std::int64_t of_generation) {
  return listed > 0 ? std::min(listed, of_generation) : of_generation;
}

}  // namespace

EngineEra generation_of(const catalog::EngineSpec& engine, std::string_view release,
                        const catalog::AcceleratorSpec& chip) {
  const EngineEra era =
      release.empty() ? listed_or_latest(engine) : find_era(engine.name, release, 0);
  if (era != EngineEra::kVllmV1 && era != EngineEra::kVllmAsync) return era;
  if (runs_on(chip, "rocm")) return EngineEra::kVllmRocm;
  return runs_on(chip, "neuron") ? EngineEra::kNeuron : era;
}

EngineDefaults engine_defaults(const catalog::EngineSpec& engine, const EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip) {
  return {least(engine.batching.batched_tokens, traits.chunk_on(chip)),
          least(engine.batching.max_sequences, traits.max_sequences_on(chip))};
}

}  // namespace loadfactor::serving
