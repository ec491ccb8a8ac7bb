#include "search/stage_ends.h"

#include <gtest/gtest.h>

#include "training/memory/stage_split.h"

namespace loadfactor::search {
namespace {

using List = std::vector<Ends>;

TEST(StageEnds, TheStagesBetweenHoldAsFewAsCanBeOrOneMore) {
  // 12 layers on 4: three each is the rule; with four between them, four are left for both ends.
  EXPECT_EQ(stage_ends(12, 4, 1, {}), (List{{1, 3}, {2, 2}, {3, 1}}));
}

TEST(StageEnds, WhereLayersDoNotDivideAllWaysToShareTheLackAreTried) {
  // 126 layers on 16 lack two of 16 times 8, and the rule takes one from either end.
  const List ends = stage_ends(126, 16, 1, {});
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0], (Ends{6, 8}));
  EXPECT_EQ(ends[1], (Ends{8, 6}));
}

TEST(StageEnds, TwoStagesMayDifferByTwoOrThreeLayers) {
  EXPECT_EQ(stage_ends(12, 2, 1, {}), (List{{5, 7}, {7, 5}}));
  // By the rule the head has the shorter stage: 4 and 3.
  EXPECT_EQ(stage_ends(7, 2, 1, {}), (List{{3, 4}, {2, 5}, {5, 2}}));
}

TEST(StageEnds, ChunksAreOfWholeLayers) {
  EXPECT_EQ(stage_ends(24, 4, 2, {}), (List{{2, 6}, {4, 4}, {6, 2}}));
  EXPECT_TRUE(stage_ends(25, 4, 2, {}).empty());
  EXPECT_TRUE(stage_ends(12, 1, 1, {}).empty());
}

TEST(StageEnds, WhatIsWrittenIsKeptWhateverIsLeftBetween) {
  config::Layout asked;
  asked.first_layers = config::Placed<int>{3, {}};
  EXPECT_EQ(stage_ends(12, 4, 1, asked), (List{{3, 3}}));
  asked.first_layers = config::Placed<int>{4, {}};
  EXPECT_TRUE(stage_ends(12, 4, 1, asked).empty());
  asked.last_layers = config::Placed<int>{6, {}};
  EXPECT_EQ(stage_ends(12, 4, 1, asked), (List{{4, 6}}));
  asked.last_layers = config::Placed<int>{5, {}};
  EXPECT_TRUE(stage_ends(12, 4, 1, asked).empty());
}

TEST(StageEnds, EveryPairIsLegalAndStandsOnce) {
  for (int layers = 2; layers <= 40; ++layers) {
    for (int pp = 2; pp <= layers; ++pp) {
      for (int vp = 1; vp * pp <= layers; ++vp) {
        const List ends = stage_ends(layers, pp, vp, {});
        for (std::size_t i = 0; i < ends.size(); ++i) {
          training::Layout layout;
          layout.pp = pp;
          layout.vp = vp;
          layout.first_layers = ends[i].first;
          layout.last_layers = ends[i].last;
          EXPECT_GT(training::middle_layers(layers, layout), 0);
          for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(ends[i] == ends[j]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace loadfactor::search
