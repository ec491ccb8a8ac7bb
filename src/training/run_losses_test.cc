#include "training/run_losses.h"

#include <gtest/gtest.h>

namespace loadfactor::training {
namespace {

// 1 + 1.25 + 0.75 % of the time and an hour of a hundred: 4 %.
TEST(RunLossesTest, NamedSharesAddUp) {
  RunLosses losses;
  losses.evaluation = 0.01;
  losses.slow_nodes = 0.0125;
  losses.thrown_away = 0.0075;
  losses.warm_up = Seconds::from_base(3600);
  EXPECT_DOUBLE_EQ(losses.named(Seconds::from_base(360000)), 0.04);
}

TEST(RunLossesTest, AShortRunWarmsUpForMoreOfIt) {
  RunLosses losses;
  losses.warm_up = Seconds::from_base(3600);
  double before = 1;
  for (double hours = 1; hours < 1e6; hours *= 3) {
    const double share = losses.named(Seconds::from_base(3600 * hours));
    EXPECT_LT(share, before);
    EXPECT_LT(share, 1);
    before = share;
  }
}

TEST(RunLossesTest, PeopleWriteTheBestCheckpointsWithinPractice) {
  RunLosses losses;
  EXPECT_EQ(losses.practised(Seconds::from_base(60)), Seconds::from_base(60));
  losses.shortest_interval = Seconds::from_base(900);
  losses.longest_interval = Seconds::from_base(6000);
  EXPECT_EQ(losses.practised(Seconds::from_base(60)), Seconds::from_base(900));
  EXPECT_EQ(losses.practised(Seconds::from_base(1200)), Seconds::from_base(1200));
  EXPECT_EQ(losses.practised(Seconds::from_base(9000)), Seconds::from_base(6000));
}

TEST(RunLossesTest, WhatNoFactStatesIsNotLost) {
  const RunLosses losses = read_run_losses({});
  EXPECT_EQ(losses.named(Seconds::from_base(3600)), 0);
  EXPECT_EQ(losses.unexplained, 1);
  EXPECT_TRUE(losses.facts.empty());
}

}  // namespace
}  // namespace loadfactor::training
