#include "cost/sustained_clock.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::cost {
namespace {

using namespace literals;

const PowerModel kPower{700_W, 100_W, 100_ms};

TEST(SustainedClockTest, OnePieceSettlesWhereItsLoadAloneDoes) {
  // 1200 W at the full clock and 600 allowed: the cube root of a half.
  const std::vector<WorkPiece> work{{1_s, 1.0, 1.0, {1200_W, 0_W}}};
  EXPECT_NEAR(settled_clock(kPower, work, 0_s), 0.7937, 1e-3);
  EXPECT_NEAR(settled_clock(kPower, work, 0_s), sustained_clock(kPower, work[0].draw), 1e-3);
}

TEST(SustainedClockTest, WhatDrawsLittleKeepsTheFullClock) {
  const std::vector<WorkPiece> work{{1_s, 1.0, 0.0, {100_W, 400_W}}};
  EXPECT_DOUBLE_EQ(settled_clock(kPower, work, 0_s), 1.0);
  EXPECT_DOUBLE_EQ(settled_clock(kPower, {}, 1_s), 1.0);
}

TEST(SustainedClockTest, IdleTimeAndLighterWorkRaiseTheClock) {
  std::vector<WorkPiece> work{{1_s, 1.0, 1.0, {1200_W, 0_W}}};
  const double alone = settled_clock(kPower, work, 0_s);
  EXPECT_GT(settled_clock(kPower, work, 200_ms), alone + 0.01);
  EXPECT_DOUBLE_EQ(settled_clock(kPower, work, 10_s), 1.0);
  work.push_back({1_s, 1.0, 0.0, {100_W, 300_W}});
  EXPECT_GT(settled_clock(kPower, work, 0_s), alone + 0.01);
}

TEST(SustainedClockTest, WorkThatSettledRanAtTheClockThatItsDrawSays) {
  // Two seconds of 600 W above idle hold as much as 1200 and 300 W of dynamic power at the cube
  // root of (600 − 100 + 600) / 1500.
  const std::vector<WorkPiece> work{{1_s, 1.0, 1.0, {1200_W, 0_W}},
                                    {1_s, 1.0, 0.0, {300_W, 100_W}}};
  EXPECT_NEAR(observed_clock(kPower, work, 0_s), std::cbrt(1100.0 / 1500.0), 1e-9);
  EXPECT_DOUBLE_EQ(observed_clock(kPower, work, 10_s), 1.0);
  // One load alone was seen at the clock at which it settles.
  const std::vector<WorkPiece> alone{{1_s, 1.0, 1.0, {1200_W, 50_W}}};
  EXPECT_NEAR(observed_clock(kPower, alone, 0_s), sustained_clock(kPower, alone[0].draw), 1e-9);
}

TEST(SustainedClockTest, OnlyWhatFollowsTheClockStretches) {
  const WorkPiece product{1_s, 0.9, 1.0, {}};
  EXPECT_NEAR(product.at_clock(0.75) / 1_s, 1.2, 1e-12);
  const WorkPiece half{1_s, 0.9, 0.5, {}};
  EXPECT_NEAR(half.at_clock(0.75) / 1_s, 1.1, 1e-12);
  const WorkPiece traffic{1_s, 0.9, 0.0, {}};
  EXPECT_NEAR(traffic.at_clock(0.75) / 1_s, 1.0, 1e-12);
}

}  // namespace
}  // namespace loadfactor::cost
