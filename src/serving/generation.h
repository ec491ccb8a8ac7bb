// Which generation of an engine runs, and with what where a scenario does not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/engine_spec.h"
#include "loadfactor/result.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// That of a release where one is named, else the one that the engine's file names, else the
// latest; on chips whose stack has a variant of it, that one. LF506 where a file names a
// generation that is none.
Result<const EngineTraits*> generation_of(const catalog::Catalog& catalog,
                                          const catalog::EngineSpec& engine,
                                          std::string_view release,
                                          const catalog::AcceleratorSpec& chip);

// That of a release; one that is empty or no number leaves it to the year (0: the one that the
// engine's file names, else the latest).
Result<const EngineTraits*> generation_of_release(const catalog::Catalog& catalog,
                                                  const catalog::EngineSpec& engine,
                                                  std::string_view release, int year);

// The generation of this name, which `engine` speaks of.
Result<const EngineTraits*> named_generation(const catalog::Catalog& catalog,
                                             const catalog::EngineSpec& engine,
                                             std::string_view name);

// What is doubtful about a release: it is no number, or newer than any whose results are known.
enum class ReleaseDoubt : std::uint8_t { kNoNumber, kNewerThanKnown };
std::optional<ReleaseDoubt> doubt_of_release(const catalog::EngineSpec& engine,
                                             std::string_view release);

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
  std::int64_t tokens_each = 1;          // Tokens of a step that a sequence takes.
  bool is_refused = false;               // The engine does not start so.
};

// A running sequence takes a token of every step, and those proposed ahead (`tokens_each` in all),
// so that no more of them run than a step has room for. What the engine does about a bound above
// it is its own (AboveChunk).
BatchLimits batch_limits(const EngineDefaults& defaults, catalog::AboveChunk above_chunk,
                         std::optional<std::int64_t> chunk,
                         std::optional<std::int64_t> max_sequences, std::int64_t tokens_each = 1);

}  // namespace loadfactor::serving
