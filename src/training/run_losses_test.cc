#include "training/run_losses.h"

#include <gtest/gtest.h>

#include "base/calendar.h"

namespace loadfactor::training {
namespace {

RunLosses some() {
  RunLosses losses;
  losses.evaluation = 0.01;
  losses.slow_nodes = 0.0125;
  losses.thrown_away = 0.0075;
  losses.warm_up = kHour;
  losses.known_from = kDay * 10;
  losses.unexplained = 1.2;
  losses.unexplained_low = 0.6;
  losses.unexplained_high = 2.4;
  return losses;
}

// 97 hours are left of 100 by 1 + 1.25 + 0.75 %; an hour of warm-up and a fifth come on top.
TEST(RunLossesTest, AWholeRunPaysForAllNamesAndForWhatIsNotExplained) {
  const RunTime run = some().pay(kHour * 970);
  EXPECT_NEAR(run.shared / kHour, 1000, 1e-9);
  EXPECT_NEAR(run.named / kHour, 1001, 1e-9);
  EXPECT_NEAR(run.paid / kHour, 1201.2, 1e-9);
  EXPECT_NEAR(run.low, 0.5, 1e-12);
  EXPECT_NEAR(run.high, 2.0, 1e-12);
}

// What is known of whole runs alone fades away.
TEST(RunLossesTest, AShortRunPaysForItsShares) {
  const RunTime run = some().pay(Seconds::from_base(97));
  EXPECT_NEAR(run.shared.base(), 100, 1e-9);
  EXPECT_NEAR(run.named.base(), 100 / (1 - 1 / 240.0), 1e-9);
  EXPECT_NEAR(run.paid / run.named, 1, 1e-4);
  EXPECT_NEAR(run.high, 1, 1e-3);
}

// Neither the time nor its ends, nor does it jump where whole runs are known.
TEST(RunLossesTest, ALongerRunNeverTakesLess) {
  const RunLosses losses = some();
  RunTime before = losses.pay(kHour);
  for (double hours = 1.01; hours < 1e5; hours *= 1.01) {
    const RunTime run = losses.pay(kHour * hours);
    EXPECT_GT(run.paid, before.paid) << hours;
    EXPECT_GT(run.paid * run.low, before.paid * before.low) << hours;
    EXPECT_GT(run.paid * run.high, before.paid * before.high) << hours;
    EXPECT_LT(run.paid / before.paid, 1.03) << hours;
    EXPECT_LE(run.high, losses.unexplained_high / losses.unexplained) << hours;
    before = run;
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
  EXPECT_EQ(losses.pay(kHour).paid, kHour);
  EXPECT_EQ(losses.unexplained, 1);
  EXPECT_TRUE(losses.facts.empty());
}

}  // namespace
}  // namespace loadfactor::training
