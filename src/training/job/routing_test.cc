// Uneven routing: what the busiest rank computes, holds and drops.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "training/job/job.h"
#include "training/job/routing_over_ranks.h"

namespace loadfactor::training {
namespace {

TEST(ExpertRouting, WithoutACapacityTheBusiestComputesAllThatComes) {
  const ExpertRouting routing{.imbalance = 1.4, .spread = 0.3};
  EXPECT_DOUBLE_EQ(routing.busiest(), 1.4);
  EXPECT_DOUBLE_EQ(routing.dropped(), 0.0);
  EXPECT_GT(routing.room(), 1.4) << "some layers send it more than the mean";
}

TEST(ExpertRouting, ACapacityBoundsWhatIsComputedAndDropsTheRest) {
  const ExpertRouting even{.imbalance = 1.5, .capacity = 1.2};
  EXPECT_DOUBLE_EQ(even.busiest(), 1.2);
  EXPECT_NEAR(even.dropped(), 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(even.room(), 1.2);
  const ExpertRouting padded{.imbalance = 1.1, .capacity = 1.5, .padded = true};
  EXPECT_DOUBLE_EQ(padded.busiest(), 1.5) << "empty places are computed too";
}

TEST(ExpertRouting, AgreesWithDrawsOfItsDistribution) {
  const ExpertRouting routing{.imbalance = 1.3, .spread = 0.25, .capacity = 1.4};
  std::mt19937_64 chance(3);
  std::lognormal_distribution<double> load(std::log(1.3) - 0.25 * 0.25 / 2, 0.25);
  constexpr int kDraws = 400'000;
  double computed = 0;
  double sent = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double one = load(chance);
    sent += one;
    computed += std::min(one, routing.capacity);
  }
  EXPECT_NEAR(routing.busiest(), computed / kDraws, 0.003);
  EXPECT_NEAR(routing.dropped(), 1 - computed / sent, 0.003);
}

TEST(ExpertRouting, NoRankHasMoreThanAllThereIs) {
  const ExpertRouting routing{.imbalance = 20, .spread = 0.3};
  EXPECT_DOUBLE_EQ(over_ranks(routing, 4).busiest(), 4);
  EXPECT_DOUBLE_EQ(over_ranks(routing, 64).busiest(), 20);
  EXPECT_DOUBLE_EQ(over_ranks(routing, 1).busiest(), 1) << "every rank holds all experts";
  EXPECT_DOUBLE_EQ(over_ranks(routing, 1).room(), 1);
}

TEST(ExpertRouting, MoreCapacityNeverDropsMore) {
  double before = 1;
  for (double capacity = 0.5; capacity < 4; capacity += 0.1) {
    const ExpertRouting routing{.imbalance = 1.6, .spread = 0.4, .capacity = capacity};
    EXPECT_LE(routing.dropped(), before + 1e-12);
    EXPECT_LE(routing.busiest(), 1.6 + 1e-12);
    before = routing.dropped();
  }
}

}  // namespace
}  // namespace loadfactor::training
