#include "catalog/load/generation_loader.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "base/quoted.h"
#include "catalog/load/entry_reader.h"
#include "catalog/load/release_number.h"

namespace loadfactor::catalog {
namespace {

using config::MapReader;
using config::Range;
using config::Word;

constexpr std::array kPromptWords{Word<bool>{"mixed", false}, Word<bool>{"alone", true}};
constexpr std::array kAdmissionWords{Word<Admission>{"prompt", Admission::kPrompt},
                                     Word<Admission>{"share", Admission::kShare},
                                     Word<Admission>{"whole", Admission::kWhole}};
constexpr std::array kVictimWords{Word<Victim>{"last_admitted", Victim::kLastAdmitted},
                                  Word<Victim>{"fewest_generated", Victim::kFewestGenerated}};
constexpr std::array kAboveChunkWords{Word<AboveChunk>{"allow", AboveChunk::kAllow},
                                      Word<AboveChunk>{"lower", AboveChunk::kLower},
                                      Word<AboveChunk>{"refuse", AboveChunk::kRefuse}};
constexpr std::array kNarrowCacheWords{Word<NarrowCache>{"never", NarrowCache::kNever},
                                       Word<NarrowCache>{"dense", NarrowCache::kDense},
                                       Word<NarrowCache>{"always", NarrowCache::kAlways}};
constexpr Range kStepTokens{1, 1e8};
constexpr Range kTokensOrNone{0, 1e8};
constexpr Range kShareOfMemory{0.05, 1.0};
constexpr Range kYears{2000, 2199};
constexpr Range kCardBytes{1e9, 1e13};

// A block whose keys are required, unless the generation is like another.
class HabitReader {
 public:
  HabitReader(MapReader& block, bool is_required) : block_(block), is_required_(is_required) {}

  std::optional<double> ratio(std::string_view key, Range range = {0.0, 1.0}) {
    if (is_required_) return block_.ratio(key, range);
    return block_.maybe_ratio(key, range);
  }
  std::optional<bool> boolean(std::string_view key) {
    if (is_required_) return block_.boolean(key);
    return block_.maybe_boolean(key);
  }
  template <typename T>
  std::optional<T> word(std::string_view key, std::span<const Word<T>> words) {
    if (is_required_) return block_.word<T>(key, words, words.front().value);
    return block_.maybe_word<T>(key, words);
  }

 private:
  MapReader& block_;
  bool is_required_;
};

StepSizes read_sizes(MapReader& block) {
  return {block.integer("chunk", kStepTokens), block.integer("max_sequences", kStepTokens)};
}

void read_batching(MapReader& map, bool is_required, GenerationEntry& entry) {
  auto block = map.map("batching", is_required);
  if (!block) return;
  GenerationBatching batching;
  batching.sizes = read_sizes(*block);
  if (auto large = block->map("large_cards", false)) {
    batching.large = LargeCards{.memory = large->quantity<Bytes>("memory", kCardBytes),
                                .except_of = large->texts("except"),
                                .sizes = read_sizes(*large)};
    large->finish();
  }
  block->finish();
  entry.batching = std::move(batching);
}

void read_schedule(MapReader& map, bool is_required, GenerationEntry& entry) {
  auto block = map.map("schedule", is_required);
  if (!block) return;
  HabitReader habits(*block, is_required);
  entry.prompts_alone = habits.word<bool>("prompts", kPromptWords);
  entry.admission = habits.word<Admission>("admission", kAdmissionWords);
  entry.reserve = habits.ratio("reserve");
  entry.above_chunk = habits.word<AboveChunk>("sequences_above_chunk", kAboveChunkWords);
  entry.victim = block->maybe_word<Victim>("victim", kVictimWords);
  entry.watermark = block->maybe_ratio("watermark");
  entry.computes_again = block->maybe_boolean("computes_again");
  entry.whole_batches = block->maybe_boolean("whole_batches");
  block->finish();
}

void read_steps(MapReader& map, bool is_required, GenerationEntry& entry) {
  auto block = map.map("steps", is_required);
  if (!block) return;
  HabitReader habits(*block, is_required);
  entry.overlap = habits.ratio("host_overlap");
  entry.one_shot = habits.boolean("one_shot_all_reduce");
  entry.fused = habits.boolean("fused_kernels");
  entry.grouped_native = habits.boolean("grouped_query_kernels");
  entry.bare_kernels = block->maybe_boolean("bare_kernels");
  entry.graphs = block->maybe_boolean("graphs");
  entry.graph_tokens = block->maybe_integer("prompt_graph_tokens", kTokensOrNone);
  entry.sent_once_per_node = block->maybe_boolean("sent_once_per_node");
  entry.exchange_overlap = block->maybe_ratio("exchange_overlap");
  entry.narrow_dispatch = block->maybe_boolean("narrow_dispatch");
  entry.rows_by_expert = block->maybe_boolean("rows_by_expert");
  entry.schedules_ahead = block->maybe_boolean("schedules_ahead");
  entry.experts_apart = block->maybe_boolean("experts_apart");
  entry.dispatch_wait = block->maybe_quantity<Seconds>("dispatch_wait", {0, 0.1});
  block->finish();
}

GenerationEntry read_generation(MapReader& map) {
  GenerationEntry entry;
  entry.name = map.text("name");
  entry.like = map.maybe_text("like").value_or("");
  const bool is_required = entry.like.empty();
  read_schedule(map, is_required, entry);
  read_batching(map, is_required, entry);
  read_steps(map, is_required, entry);
  entry.memory_fraction = HabitReader(map, is_required).ratio("memory_fraction", kShareOfMemory);
  entry.provenance = read_provenance(map);
  map.finish();
  return entry;
}

ReleaseRange read_release(MapReader& map, bool is_last) {
  ReleaseRange range;
  range.generation = map.text("generation");
  const std::string before = map.maybe_text("before").value_or("");
  if (before.empty() && !is_last)
    map.report("generation", lf::kContradictoryKeys, "only the last range has no end",
               "say with 'before' which release begins the next range");
  range.until_year = static_cast<int>(map.maybe_integer("until_year", kYears).value_or(0));
  range.gone_after = static_cast<int>(map.maybe_integer("gone_after", kYears).value_or(0));
  map.finish();
  if (before.empty()) return range;
  if (is_last)
    map.report("before", lf::kContradictoryKeys, "the last range has no end: it is the latest",
               "leave 'before' out, or add the generation of later releases");
  range.before = parse_release(before);
  if (!range.before)
    map.report("before", lf::kNotANumber, in_quotes(before) + " is no release of an engine",
               "write its first two numbers, such as \"0.8\"");
  return range;
}

void read_releases(MapReader& reader, EngineSpec& spec) {
  auto maps = reader.maps("releases", false);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    spec.releases.push_back(read_release(maps[i], i + 1 == maps.size()));
    if (i == 0 || !spec.releases[i].before || !spec.releases[i - 1].before) continue;
    if (!spec.releases[i - 1].before->is_before(*spec.releases[i].before))
      maps[i].report("before", lf::kInconsistentFigures, "ranges of releases do not rise",
                     "write them from the oldest to the latest");
  }
}

void read_chips(MapReader& reader, EngineSpec& spec) {
  for (auto& map : reader.maps("chips", false)) {
    ChipVariant variant{.generation = map.text("generation"),
                        .stacks = map.texts("stacks"),
                        .instead_of = map.texts("instead_of")};
    for (const auto& [key, list] :
         {std::pair("stacks", &variant.stacks), std::pair("instead_of", &variant.instead_of)}) {
      if (list->empty() && !map.has(key))
        map.report(key, lf::kMissingKey, std::string("'") + key + "' is missing");
    }
    map.finish();
    spec.chips.push_back(std::move(variant));
  }
}

void read_published(MapReader& reader, EngineSpec& spec) {
  for (auto& map : reader.maps("published", false)) {
    PublishedName name{.engine = map.texts("engine"),
                       .version = map.texts("version"),
                       .notes = map.texts("notes"),
                       .generation = map.maybe_text("generation").value_or("")};
    name.narrow_cache = map.maybe_word<NarrowCache>("narrow_cache", kNarrowCacheWords)
                            .value_or(NarrowCache::kNever);
    map.finish();
    spec.published.push_back(std::move(name));
  }
}

}  // namespace

void read_generations(MapReader& reader, EngineSpec& spec) {
  spec.generation = reader.maybe_text("generation").value_or("");
  spec.generations_of = reader.maybe_text("generations_of").value_or("");
  for (auto& map : reader.maps("generations", false))
    spec.generations.push_back(read_generation(map));
  read_releases(reader, spec);
  read_chips(reader, spec);
  read_published(reader, spec);
  if (!spec.generations_of.empty() && !(spec.releases.empty() && spec.chips.empty()))
    reader.report("generations_of", lf::kContradictoryKeys,
                  "releases and chips are those of " + in_quotes(spec.generations_of),
                  "leave out 'generations_of', or 'releases' and 'chips'");
  if (spec.generations_of.empty() && spec.generations.empty() && spec.releases.empty())
    reader.report("generations", lf::kMissingKey, "the engine has no generation",
                  "write how it schedules under 'generations' (docs/models/engines.md), or "
                  "'generations_of: vllm' to share those of another engine");
}

}  // namespace loadfactor::catalog
