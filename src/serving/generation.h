// Which generation of an engine runs, and with what where a scenario does not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/engine_spec.h"
#include "loadfactor/result.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// Of a release where one is named, else the one the catalogue names, else the latest. vLLM on
// other chips than NVIDIA's is a generation of its own.
EngineEra generation_of(const catalog::EngineSpec& engine, std::string_view release,
                        const catalog::AcceleratorSpec& chip);

// LF506 where the catalogue names a generation that is none.
std::optional<Error> find_generation_fault(const catalog::EngineSpec& engine);

// What to say of a release that is no number, or newer than any whose results are known.
std::optional<std::string> release_remark(const catalog::EngineSpec& engine,
                                          std::string_view release, EngineEra taken);

struct EngineDefaults {
  std::int64_t chunk = 0;  // Prompt tokens per step.
  std::int64_t max_sequences = 0;
};

// As the catalogue lists them (`loadfactor catalog engines`); the engine's generation has less on
// smaller cards.
EngineDefaults engine_defaults(const catalog::EngineSpec& engine, const EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip);

struct BatchLimits {
  std::int64_t chunk = 0;  // Tokens of a step; of its prompts alone where those run alone.
  std::int64_t max_sequences = 0;
  std::int64_t unbounded_sequences = 0;  // What it would be with a larger chunk.
  std::int64_t tokens_each = 1;          // Of a step that a sequence takes.
  bool is_refused = false;               // The engine does not start so.
};

// A running sequence takes a token of every step, and those proposed ahead (`tokens_each` in all),
// so that no more of them run than a step has room for. vLLM refuses a written bound above it and
// lowers its own; TensorRT-LLM lowers both. SGLang bounds prompts by the chunk, not decodes.
BatchLimits batch_limits(const EngineDefaults& defaults, EngineEra era,
                         std::optional<std::int64_t> chunk,
                         std::optional<std::int64_t> max_sequences, std::int64_t tokens_each = 1);

}  // namespace loadfactor::serving
