#include "serving/generation.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/reader.h"

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

std::optional<Error> find_generation_fault(const catalog::EngineSpec& engine) {
  if (engine.generation.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kNumEras; ++i) known.emplace_back(name(static_cast<EngineEra>(i)));
  if (std::find(known.begin(), known.end(), engine.generation) != known.end()) return std::nullopt;
  const auto nearest = config::suggest(engine.generation, known);
  return Error{.code = lf::kUnknownWord,
               .message = fmt::format("engine {} names a generation '{}' that is none", engine.name,
                                      engine.generation),
               .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
                       fmt::format("known: {}", fmt::join(known, ", "))};
}

std::optional<std::string> release_remark(const catalog::EngineSpec& engine,
                                          std::string_view release, EngineEra taken) {
  if (release.empty()) return std::nullopt;
  const auto number = parse_release(release);
  if (!number)
    return fmt::format("release '{}' is not read as one of {}: it is taken for `{}`", release,
                       engine.title, name(taken));
  const auto newest = parse_release(engine.newest_release);
  if (!newest || !newest->is_before(*number)) return std::nullopt;
  return fmt::format(
      "release {} is newer than {}, the newest of {} whose results are known: it is "
      "taken for `{}`",
      release, engine.newest_release, engine.title, name(taken));
}

EngineDefaults engine_defaults(const catalog::EngineSpec& engine, const EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip) {
  return {least(engine.batching.batched_tokens, traits.chunk_on(chip)),
          least(engine.batching.max_sequences, traits.max_sequences_on(chip))};
}

BatchLimits batch_limits(const EngineDefaults& defaults, EngineEra era,
                         std::optional<std::int64_t> chunk,
                         std::optional<std::int64_t> max_sequences, std::int64_t tokens_each) {
  BatchLimits limits{.chunk = chunk.value_or(defaults.chunk),
                     .max_sequences = max_sequences.value_or(defaults.max_sequences)};
  limits.unbounded_sequences = limits.max_sequences;
  limits.tokens_each = tokens_each;
  if (era == EngineEra::kSglang || era == EngineEra::kPlain) return limits;
  if (limits.max_sequences * tokens_each <= limits.chunk) return limits;
  const bool is_vllm = era == EngineEra::kVllmV0 || era == EngineEra::kVllmV1 ||
                       era == EngineEra::kVllmAsync || era == EngineEra::kVllmRocm ||
                       era == EngineEra::kNeuron;
  limits.is_refused = is_vllm && max_sequences && *max_sequences > limits.chunk;
  if (!limits.is_refused)
    limits.max_sequences = std::max<std::int64_t>(1, limits.chunk / tokens_each);
  return limits;
}

}  // namespace loadfactor::serving
