// A server's file: what it says of its memory, its generations, and which release is which.
#include "catalog/load/engine_loader.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/load/release_number.h"
#include "catalog/testing/complaints.h"
#include "catalog/testing/toy_catalog.h"

namespace loadfactor::catalog {
namespace {

using namespace literals;
using testing::with;

constexpr std::string_view kToyEngine = R"(schema: engine/1
name: toyserve
title: Toy server
newest_release: "0.9"
stacks: [cuda]
memory: {fraction: 0.9, of: static, block: 32, kind: assumed, source: toy-lab, date: 2024}
batching: {batched_tokens: 8192, max_sequences: 256, kind: assumed, source: toy-lab, date: 2024}
overhead: {driver: 1 GiB, context: 2 GiB, communicator: 0.5 GiB, graphs: 3 GiB,
  graphs_in_fraction: true, activation_copies: 2, logit_bytes: 4, kind: assumed, source: toy-lab, date: 2024}
generations:
  - name: toy-old
    schedule: {prompts: alone, admission: whole, reserve: 0.5, sequences_above_chunk: lower}
    batching: {chunk: 512, max_sequences: 64, large_cards: {memory: 70 GiB, except: [dolls], chunk: 2048, max_sequences: 128}}
    steps: {host_overlap: 0, one_shot_all_reduce: false, fused_kernels: false, grouped_query_kernels: true}
    memory_fraction: 0.8
    kind: assumed
    source: toy-lab
    date: 2024
  - name: toy-new
    like: toy-old
    steps: {host_overlap: 1, dispatch_wait: 40 us}
    kind: published
    source: toy-lab
    date: 2024
releases:
  - {before: "0.5", until_year: 2023, generation: toy-old}
  - {generation: toy-new}
chips:
  - {stacks: [rocm], instead_of: [toy-new], generation: toy-old}
published:
  - {engine: [toyserve], notes: [lab], narrow_cache: dense}
)";

EngineSpec load(std::string_view text, Diagnostics& diagnostics) {
  return load_engine(testing::file("engines/toyserve.yaml", text), diagnostics);
}

EngineSpec toy() {
  Diagnostics diagnostics;
  EngineSpec spec = load(kToyEngine, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  return spec;
}

std::string broken(std::string_view from, std::string_view to) {
  Diagnostics diagnostics;
  load(with(kToyEngine, from, to), diagnostics);
  return testing::complaints(diagnostics);
}

TEST(EngineLoaderTest, MemoryIsReadWithWhatItIsAFractionOf) {
  const EngineSpec spec = toy();
  EXPECT_EQ(spec.memory.fraction, 0.9);
  EXPECT_EQ(spec.memory.fraction_of, FractionOf::kStatic);
  EXPECT_EQ(spec.memory.block, 32);
  EXPECT_EQ(spec.batching.batched_tokens, 8192);
  EXPECT_EQ(spec.overhead.context, 2_GiB);
  EXPECT_EQ(spec.newest_release, "0.9");
}

TEST(EngineLoaderTest, PeersOverLinksTakeWhatOthersTakeUnlessItIsSaid) {
  EXPECT_EQ(toy().overhead.link_communicator, toy().overhead.communicator);
  EXPECT_TRUE(toy().overhead.context_in_fraction);
  Diagnostics diagnostics;
  const EngineSpec spec =
      load(with(kToyEngine, "graphs: 3 GiB,",
                "graphs: 3 GiB, link_communicator: 1 GiB, context_in_fraction: false,"),
           diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  EXPECT_EQ(spec.overhead.link_communicator, 1_GiB);
  EXPECT_EQ(spec.overhead.communicator, 0.5_GiB);
  EXPECT_FALSE(spec.overhead.context_in_fraction);
}

TEST(EngineLoaderTest, AGenerationThatIsLikeAnotherSaysOnlyWhatDiffers) {
  const EngineSpec spec = toy();
  ASSERT_EQ(spec.generations.size(), 2U);
  const GenerationEntry& old = spec.generations[0];
  EXPECT_EQ(old.prompts_alone, true);
  EXPECT_EQ(old.admission, Admission::kWhole);
  EXPECT_EQ(old.above_chunk, AboveChunk::kLower);
  EXPECT_EQ(old.grouped_native, true);
  EXPECT_FALSE(old.dispatch_wait.has_value());
  const GenerationEntry& young = spec.generations[1];
  EXPECT_EQ(young.like, "toy-old");
  EXPECT_EQ(young.overlap, 1.0);
  EXPECT_DOUBLE_EQ(young.dispatch_wait->base(), 40e-6);
  EXPECT_FALSE(young.prompts_alone.has_value());
  EXPECT_FALSE(young.batching.has_value());
  EXPECT_FALSE(young.memory_fraction.has_value());
}

TEST(EngineLoaderTest, LargeCardsGetLargeStepsUnlessTheirFamilyIsExcepted) {
  const GenerationBatching batching = *toy().generations[0].batching;
  AcceleratorSpec chip;
  chip.family = "toys";
  chip.memory.usable = 69_GiB;
  EXPECT_EQ(batching.on(chip).chunk, 512);
  chip.memory.usable = 70_GiB;
  EXPECT_EQ(batching.on(chip).chunk, 2048);
  EXPECT_EQ(batching.on(chip).max_sequences, 128);
  chip.family = "dolls";
  EXPECT_EQ(batching.on(chip).chunk, 512);
}

TEST(EngineLoaderTest, ReleasesChipsAndPublishedNamesNameGenerations) {
  const EngineSpec spec = toy();
  ASSERT_EQ(spec.releases.size(), 2U);
  EXPECT_EQ(spec.releases[0].before->minor, 5);
  EXPECT_EQ(spec.releases[0].until_year, 2023);
  EXPECT_FALSE(spec.releases[1].before.has_value());
  EXPECT_EQ(spec.releases[1].until_year, 0);
  ASSERT_EQ(spec.chips.size(), 1U);
  EXPECT_EQ(spec.chips[0].instead_of, std::vector<std::string>{"toy-new"});
  ASSERT_EQ(spec.published.size(), 1U);
  EXPECT_EQ(spec.published[0].narrow_cache, NarrowCache::kDense);
  EXPECT_TRUE(spec.published[0].generation.empty());
}

TEST(EngineLoaderTest, MemoryThatNoCardHasIsRefusedAtItsLine) {
  EXPECT_EQ(broken("fraction: 0.9", "fraction: 1.2"), "6:LF207");
  EXPECT_EQ(broken("of: static", "of: everything"), "6:LF506");
  EXPECT_EQ(broken("block: 32", "block: 0"), "6:LF207");
  EXPECT_EQ(broken("context: 2 GiB", "context: 2"), "8:LF202");
  EXPECT_EQ(broken("context: 2 GiB", "context: 2 TiB"), "8:LF207");
  EXPECT_EQ(broken("memory_fraction: 0.8", "memory_fraction: 0.01"), "15:LF207");
}

TEST(EngineLoaderTest, AGenerationOfItsOwnSaysAllItsHabits) {
  EXPECT_EQ(broken(", grouped_query_kernels: true", ""), "14:LF504");
  EXPECT_EQ(broken("prompts: alone, ", ""), "12:LF504");
  EXPECT_EQ(broken("    memory_fraction: 0.8\n", ""), "11:LF504");
  EXPECT_EQ(broken("prompts: alone", "prompts: sometimes"), "12:LF506");
  EXPECT_EQ(broken("reserve: 0.5", "reserve: 1.5"), "12:LF207");
  EXPECT_EQ(broken("dispatch_wait: 40 us", "dispatch_wait: 40 s"), "21:LF207");
  EXPECT_EQ(broken("host_overlap: 1,", "host_overlaps: 1,"), "21:LF502");
}

TEST(EngineLoaderTest, RangesOfReleasesRiseAndOnlyTheLastHasNoEnd) {
  EXPECT_EQ(broken("before: \"0.5\", ", ""), "26:LF521");
  EXPECT_EQ(broken("  - {generation: toy-new}", "  - {before: \"0.7\", generation: toy-new}"),
            "27:LF521");
  EXPECT_EQ(broken("before: \"0.5\"", "before: newest"), "26:LF208");
  const auto three = [](std::string_view first, std::string_view second) {
    return broken("  - {before: \"0.5\", until_year: 2023, generation: toy-old}\n",
                  "  - {before: \"" + std::string(first) +
                      "\", generation: toy-old}\n  - {before: \"" + std::string(second) +
                      "\", generation: toy-old}\n");
  };
  EXPECT_EQ(three("0.4", "0.5"), "");
  EXPECT_EQ(three("0.5", "0.5"), "27:LF209");
  EXPECT_EQ(three("1.0", "0.9"), "27:LF209");
}

TEST(EngineLoaderTest, ReleasesAreItsOwnOrAnothersAndNeverNone) {
  EXPECT_EQ(broken("stacks: [cuda]", "stacks: [cuda]\ngenerations_of: vllm"), "6:LF521");
  Diagnostics diagnostics;
  const std::string bare(kToyEngine.substr(0, kToyEngine.find("generations:")));
  load(bare, diagnostics);
  EXPECT_EQ(testing::complaints(diagnostics), "1:LF504");
  Diagnostics shared;
  load(bare + "generations_of: vllm\n", shared);
  EXPECT_TRUE(shared.empty()) << render(shared);
}

TEST(EngineLoaderTest, AVariantOfAChipSaysWhatItReplaces) {
  EXPECT_EQ(broken(", instead_of: [toy-new]", ""), "29:LF504");
  EXPECT_EQ(broken("stacks: [rocm], ", ""), "29:LF504");
}

// Two numbers make a release; a year of a container does not.
TEST(ReleaseNumberTest, IsReadAsPeopleWriteIt) {
  const auto read = [](std::string_view text) {
    const auto release = parse_release(text);
    return release ? std::pair(release->major, release->minor) : std::pair(-1, -1);
  };
  EXPECT_EQ(read("0.8"), std::pair(0, 8));
  EXPECT_EQ(read("v0.11.2"), std::pair(0, 11));
  EXPECT_EQ(read("0.19.0rc1"), std::pair(0, 19));
  EXPECT_EQ(read("toyserve-1.0"), std::pair(1, 0));
  for (const char* none : {"", "1", "0.x", "newest", "24.05", "2024.1", "9.0"})
    EXPECT_EQ(read(none), std::pair(-1, -1)) << none;
  EXPECT_TRUE((ReleaseNumber{0, 9}.is_before({0, 10})));
  EXPECT_TRUE((ReleaseNumber{0, 99}.is_before({1, 0})));
  EXPECT_FALSE((ReleaseNumber{1, 0}.is_before({1, 0})));
}

}  // namespace
}  // namespace loadfactor::catalog
