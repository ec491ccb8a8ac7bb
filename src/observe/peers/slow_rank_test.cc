// Ranks that are slower than their peers by what step logs tell.
#include "observe/peers/slow_rank.h"

#include <random>

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

// A hundred steps of 2 s of each rank, which differ by half a percent between ranks and by two
// percent from step to step.
std::vector<RankTimes> made_ranks(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> own(1, 0.005), noise(1, 0.02);
  std::vector<RankTimes> ranks(count);
  for (std::size_t r = 0; r < count; ++r) {
    ranks[r].name = "rank " + std::to_string(r);
    const double speed = own(random);
    for (std::int64_t step = 1; step <= 100; ++step)
      ranks[r].seconds[step] = 2.0 * speed * noise(random);
  }
  return ranks;
}

LowTest rules_for(std::size_t ranks) {
  return {static_cast<double>(ranks) * kSigns, 0.01, 0.04};
}

TEST(SlowRank, IsFoundAndNobodyElseIsInTwentyRuns) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto ranks = made_ranks(8, seed);
    for (auto& [step, seconds] : ranks[3].seconds) seconds /= 0.85;
    const auto test = find_slow_ranks(ranks, rules_for(ranks.size()));
    EXPECT_EQ(test.tested, 8);
    ASSERT_EQ(test.found.size(), 1U) << seed;
    EXPECT_EQ(test.found[0].rank, 3U);
    EXPECT_NEAR(test.found[0].ratio, 0.85, 0.02);
    EXPECT_NEAR(test.found[0].excess, 2 / 0.85 - 2, 0.05);
    EXPECT_LT(test.found[0].statistic, 0);
    EXPECT_LE(test.found[0].probability, 0.01);
  }
}

TEST(SlowRank, WithoutOneNobodyIsNamed) {
  int named = 0;
  for (unsigned seed = 1; seed <= 500; ++seed) {
    const auto ranks = made_ranks(16, seed);
    named += find_slow_ranks(ranks, rules_for(ranks.size())).found.empty() ? 0 : 1;
  }
  EXPECT_LE(named, 5);
}

// Rank 0 writes a checkpoint in every twentieth step, and takes ten times as long for that step.
TEST(SlowRank, ARankThatWritesCheckpointsIsNotSlow) {
  auto ranks = made_ranks(8, 1);
  for (auto& [step, seconds] : ranks[0].seconds)
    if (step % 20 == 0) seconds *= 10;
  EXPECT_TRUE(find_slow_ranks(ranks, rules_for(ranks.size())).found.empty());
}

TEST(SlowRank, OneThatIsSlowInHalfOfTheRunIsFound) {
  auto ranks = made_ranks(16, 2);
  for (auto& [step, seconds] : ranks[5].seconds)
    if (step > 60) seconds *= 1.3;
  const auto test = find_slow_ranks(ranks, rules_for(ranks.size()));
  ASSERT_EQ(test.found.size(), 1U);
  EXPECT_EQ(test.found[0].rank, 5U);
}

TEST(SlowRank, TooFewRanksOrStepsSayNothing) {
  auto few = made_ranks(4, 1);
  for (auto& [step, seconds] : few[0].seconds) seconds *= 2;
  EXPECT_EQ(find_slow_ranks(few, rules_for(4)).tested, 0);
  auto brief = made_ranks(8, 1);
  for (RankTimes& rank : brief) rank.seconds.erase(rank.seconds.find(9), rank.seconds.end());
  for (auto& [step, seconds] : brief[0].seconds) seconds *= 2;
  EXPECT_TRUE(find_slow_ranks(brief, rules_for(8)).found.empty());
}

}  // namespace
}  // namespace loadfactor::observe
