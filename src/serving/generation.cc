#include "serving/generation.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error_codes.h"
#include "catalog/load/release_number.h"
#include "config/reader.h"

namespace loadfactor::serving {
namespace {

using catalog::AboveChunk;
using catalog::parse_release;

template <typename Text>
bool holds(const std::vector<std::string>& list, const Text& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

bool runs_on(const catalog::AcceleratorSpec& chip, const std::vector<std::string>& stacks) {
  return std::any_of(chip.stack.begin(), chip.stack.end(),
                     [&](const std::string& stack) { return holds(stacks, stack); });
}

// The engine whose releases and variants count.
Result<const catalog::EngineSpec*> ruling(const catalog::Catalog& catalog,
                                          const catalog::EngineSpec& engine) {
  if (engine.generations_of.empty()) return &engine;
  return catalog.find_engine(engine.generations_of);
}

// Where an engine has no ranges, its last generation is all there is.
std::string_view name_of_release(const catalog::EngineSpec& engine, std::string_view release,
                                 int year) {
  if (engine.releases.empty())
    return engine.generations.empty() ? std::string_view() : engine.generations.back().name;
  if (const auto number = parse_release(release)) {
    const auto found = std::find_if(
        engine.releases.begin(), engine.releases.end(),
        [&](const auto& range) { return !range.before || number->is_before(*range.before); });
    const bool is_gone = found->gone_after > 0 && year > found->gone_after;
    if (!is_gone) return found->generation;
  }
  for (const auto& range : engine.releases) {
    if (year > 0 && range.until_year > 0 && year <= range.until_year) return range.generation;
  }
  return engine.releases.back().generation;
}

std::int64_t least(std::int64_t listed, std::int64_t of_generation) {
  return listed > 0 ? std::min(listed, of_generation) : of_generation;
}

}  // namespace

Result<const EngineTraits*> named_generation(const catalog::Catalog& catalog,
                                             const catalog::EngineSpec& engine,
                                             std::string_view name) {
  if (const auto* found = catalog.find_generation(name)) return found;
  std::vector<std::string> known;
  for (const auto& generation : catalog.generations()) known.push_back(generation.name);
  const auto nearest = config::suggest(name, known);
  return Error{
      .code = lf::kUnknownWord,
      .message = fmt::format("engine {} names a generation '{}' that is none", engine.name, name),
      .hint = (nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string()) +
              fmt::format("known: {}", fmt::join(known, ", "))};
}

Result<const EngineTraits*> generation_of_release(const catalog::Catalog& catalog,
                                                  const catalog::EngineSpec& engine,
                                                  std::string_view release, int year) {
  TRY(const auto* rules, ruling(catalog, engine));
  if (year == 0 && !engine.generation.empty() && !parse_release(release))
    return named_generation(catalog, engine, engine.generation);
  return named_generation(catalog, engine, name_of_release(*rules, release, year));
}

Result<const EngineTraits*> generation_of(const catalog::Catalog& catalog,
                                          const catalog::EngineSpec& engine,
                                          std::string_view release,
                                          const catalog::AcceleratorSpec& chip) {
  TRY(const auto* rules, ruling(catalog, engine));
  const std::string_view name = release.empty() && !engine.generation.empty()
                                    ? std::string_view(engine.generation)
                                    : name_of_release(*rules, release, 0);
  for (const auto& variant : rules->chips) {
    if (holds(variant.instead_of, name) && runs_on(chip, variant.stacks))
      return named_generation(catalog, engine, variant.generation);
  }
  return named_generation(catalog, engine, name);
}

std::optional<ReleaseDoubt> doubt_of_release(const catalog::EngineSpec& engine,
                                             std::string_view release) {
  if (release.empty()) return std::nullopt;
  const auto number = parse_release(release);
  if (!number) return ReleaseDoubt::kNoNumber;
  const auto newest = parse_release(engine.newest_release);
  if (!newest || !newest->is_before(*number)) return std::nullopt;
  return ReleaseDoubt::kNewerThanKnown;
}

EngineDefaults engine_defaults(const catalog::EngineSpec& engine, const EngineTraits& traits,
                               const catalog::AcceleratorSpec& chip) {
  return {least(engine.batching.batched_tokens, traits.chunk_on(chip)),
          least(engine.batching.max_sequences, traits.max_sequences_on(chip))};
}

BatchLimits batch_limits(const EngineDefaults& defaults, AboveChunk above_chunk,
                         std::optional<std::int64_t> chunk,
                         std::optional<std::int64_t> max_sequences, std::int64_t tokens_each) {
  BatchLimits limits{.chunk = chunk.value_or(defaults.chunk),
                     .max_sequences = max_sequences.value_or(defaults.max_sequences)};
  limits.unbounded_sequences = limits.max_sequences;
  limits.tokens_each = tokens_each;
  if (above_chunk == AboveChunk::kAllow) return limits;
  if (limits.max_sequences * tokens_each <= limits.chunk) return limits;
  limits.is_refused =
      above_chunk == AboveChunk::kRefuse && max_sequences && *max_sequences > limits.chunk;
  if (!limits.is_refused)
    limits.max_sequences = std::max<std::int64_t>(1, limits.chunk / tokens_each);
  return limits;
}

}  // namespace loadfactor::serving
