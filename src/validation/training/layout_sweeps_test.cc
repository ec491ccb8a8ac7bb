#include "validation/training/layout_sweeps.h"

#include <gtest/gtest.h>

namespace loadfactor::validation {
namespace {

// Eight layouts, measured 10, 20, … 80; predicted as given.
std::vector<SweepPoint> sweep(const std::vector<double>& predicted, const std::string& name = "s") {
  std::vector<SweepPoint> points;
  for (const double said : predicted)
    points.push_back({name, 10.0 * static_cast<double>(points.size() + 1), said});
  return points;
}

TEST(LayoutSweeps, TheSameOrderIsOneAndTheReverseMinusOne) {
  const auto same = rank_sweeps(sweep({1, 2, 3, 4, 5, 6, 7, 8}));
  ASSERT_EQ(same.sweeps.size(), 1U);
  EXPECT_EQ(same.sweeps[0].pairs, 28);
  EXPECT_DOUBLE_EQ(same.median_tau, 1.0);
  EXPECT_DOUBLE_EQ(same.median_regret, 0.0);
  const auto reverse = rank_sweeps(sweep({8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_DOUBLE_EQ(reverse.median_tau, -1.0);
  // We would pick the slowest: 10 instead of 80.
  EXPECT_DOUBLE_EQ(reverse.median_regret, 87.5);
}

TEST(LayoutSweeps, OneSwapOfNeighboursCostsTwoOfTwentyEightPairs) {
  const auto ranked = rank_sweeps(sweep({1, 2, 3, 4, 5, 6, 8, 7}));
  EXPECT_NEAR(ranked.median_tau, 26.0 / 28.0, 1e-12);
  EXPECT_DOUBLE_EQ(ranked.median_regret, 12.5);
}

TEST(LayoutSweeps, RatesWithinTheNoiseAreNotCompared) {
  std::vector<SweepPoint> points = sweep({1, 2, 3, 4, 5, 6, 7, 8});
  points.push_back({"s", 84.0, 7.5});  // 5 % above 80, and predicted below it.
  EXPECT_DOUBLE_EQ(rank_sweeps(points).median_tau, 1.0);
}

TEST(LayoutSweeps, FewLayoutsAreNoSweep) {
  EXPECT_TRUE(rank_sweeps(sweep({1, 2, 3, 4, 5, 6, 7})).sweeps.empty());
}

TEST(LayoutSweeps, AConstantPredictorRanksNothing) {
  EXPECT_DOUBLE_EQ(rank_sweeps(sweep({1, 1, 1, 1, 1, 1, 1, 1})).median_tau, 0.0);
}

}  // namespace
}  // namespace loadfactor::validation
