#include "training/job/abilities.h"

#include <algorithm>

#include "training/job/testing/shipped_stacks.h"
#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

using testing::shipped_stacks;

TEST(AbilitiesTest, ReleasesAreComparedNumberByNumber) {
  EXPECT_LT(*compare_releases("0.9.5", "0.10"), 0);
  EXPECT_GT(*compare_releases("v0.10.2rc1", "0.10.1"), 0);
  EXPECT_EQ(*compare_releases("2.4", "2.4.0"), 0);
  EXPECT_GT(*compare_releases("26.02", "25.11"), 0);
  EXPECT_FALSE(compare_releases("nightly", "0.10").has_value());
}

TEST(AbilitiesTest, AnOlderReleaseLacksWhatALaterOneBrought) {
  Abilities abilities;
  abilities.known = true;
  abilities.can.set(static_cast<std::size_t>(Ability::k1F1B));
  AddedAbilities later{"0.10.2", {}};
  later.can.set(static_cast<std::size_t>(Ability::kContextParallel));
  abilities.can |= later.can;
  abilities.added.push_back(later);
  EXPECT_TRUE(abilities.has(Ability::kContextParallel));
  EXPECT_EQ(abilities.since(Ability::kContextParallel), "0.10.2");
  EXPECT_FALSE(abilities.since(Ability::k1F1B).has_value());
  EXPECT_FALSE(abilities.at("0.9").has(Ability::kContextParallel));
  EXPECT_TRUE(abilities.at("0.9").has(Ability::k1F1B));
  EXPECT_TRUE(abilities.at("0.10.2").has(Ability::kContextParallel));
  EXPECT_TRUE(abilities.at("of last week").has(Ability::kContextParallel));
}

TEST(AbilitiesTest, WhatNobodyListedNobodyRefuses) {
  const Abilities unknown;
  EXPECT_TRUE(unknown.has(Ability::kDualPipe));
  EXPECT_TRUE(unknown.has_pipeline());
}

TEST(AbilitiesTest, EveryAbilityHasWordsOfItsOwnInTheOrderOfTheEnumeration) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kNumAbilities; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(ability_words()[i].ability), i);
    words.push_back(words_of(static_cast<Ability>(i)));
  }
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
  EXPECT_EQ(words_of(Ability::kGroupsOfZero1), "shard_group with zero: 1");
}

TEST(AbilitiesTest, ALayoutTakesWhatItWrites) {
  Layout layout;
  layout.gpus = 64;
  layout.pp = 4;
  layout.dp = 16;
  layout.schedule = Schedule::kZeroBubble;
  layout.sharding = Sharding::kOptimizer;
  layout.shard_group = 8;
  layout.recompute.kind = RecomputeKind::kFull;
  layout.recompute.layers_per_stage = 2;
  Precision precision;
  precision.compute = catalog::Dtype::kFp8;
  precision.block_wise = true;
  const std::vector<Ability> expected{Ability::kZeroBubble, Ability::kZero1,
                                      Ability::kGroupsOfZero1, Ability::kRecomputeLayers,
                                      Ability::kFp8Block};
  EXPECT_EQ(abilities_of(layout, precision), expected);
  layout.shard_group = 16;  // One group of all is none.
  EXPECT_EQ(abilities_of(layout, precision).size(), 4U);
}

TEST(AbilitiesTest, AWordOfNoListIsRefusedWhereItStands) {
  catalog::DataFile file;
  file.path = "stacks/horovod.yaml";
  file.shown_as = file.path;
  file.text = read_data(file.path);
  const std::string list = "  schedules: []\n";
  file.text.replace(file.text.find(list), list.size(), "  schedules: [dualpip]\n");
  Diagnostics diagnostics;
  load_stacks({file}, diagnostics);
  EXPECT_NE(render(diagnostics).find("dualpipe"), std::string::npos) << render(diagnostics);
}

// Software of unknown settings is the one that lists nothing.
TEST(AbilitiesTest, EveryShippedStackListsWhatItCanDo) {
  for (const StackTraits& stack : shipped_stacks().stacks) {
    EXPECT_EQ(stack.abilities.known, stack.name != "tutorial") << stack.name;
    EXPECT_TRUE(stack.abilities.has(Ability::kBf16)) << stack.name;
    // What memory is resolved with must be something the software runs.
    EXPECT_TRUE(stack.abilities.has(Ability::kRecomputeFull)) << stack.name;
    EXPECT_TRUE(stack.abilities.has(Ability::kRecomputeLayers)) << stack.name;
    if (stack.memory.ladder == RecomputeLadder::kModules) {
      EXPECT_TRUE(stack.abilities.has(Ability::kRecomputeModules)) << stack.name;
      EXPECT_TRUE(stack.abilities.has(Ability::kRecomputeSelective)) << stack.name;
    }
    if (stack.interleaves) {
      EXPECT_TRUE(stack.abilities.has(Ability::kInterleaved)) << stack.name;
    }
    if (stack.memory.pipeline_gradient > 0) {
      EXPECT_TRUE(stack.abilities.has(Ability::kZero3) && stack.abilities.has_pipeline());
    }
  }
}

TEST(AbilitiesTest, GenerationsOfOneCodeBaseDiffer) {
  const StackShelf shelf = shipped_stacks();
  const Abilities& old = shelf.find("megatron-2021")->abilities;
  const Abilities& recent = shelf.find("megatron-core-2026")->abilities;
  EXPECT_FALSE(old.has(Ability::kContextParallel));
  EXPECT_TRUE(recent.has(Ability::kContextParallel));
  for (const Abilities* one : {&old, &recent}) {
    EXPECT_TRUE(one->has(Ability::kInterleaved));
    EXPECT_FALSE(one->has(Ability::kZeroBubble));
    EXPECT_FALSE(one->has(Ability::kDualPipe));
  }
  EXPECT_TRUE(shelf.find("hai-llm")->abilities.has(Ability::kDualPipe));
}

}  // namespace
}  // namespace loadfactor::training
