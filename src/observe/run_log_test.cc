// What a step log says of a run: steps that count, those done again, and checkpoints.
#include "observe/run_log.h"

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

// Lines of every tenth step from `from` to `to`, a step of 2 s, stamped from `time` on.
void add_stretch(RunLog& log, std::int64_t from, std::int64_t to, double time) {
  for (std::int64_t n = from; n <= to; n += 10)
    log.steps.push_back({n, 2.0, time + 2.0 * static_cast<double>(n - from)});
}

TEST(RunLogTest, ARunWithoutStopsIsAllGoodput) {
  RunLog log;
  add_stretch(log, 10, 1000, 1e6);
  const auto use = use_of_run(log);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->steps, 1000);
  EXPECT_EQ(use->repeated, 0);
  EXPECT_EQ(use->restarts, 0);
  EXPECT_DOUBLE_EQ(use->wall_seconds, 2000);
  EXPECT_DOUBLE_EQ(use->goodput, 1);
  EXPECT_FALSE(use->mtbf);
}

TEST(RunLogTest, StepsAfterARestartAreDoneAgainAndTheStopIsNoGoodput) {
  RunLog log;
  add_stretch(log, 10, 1000, 1e6);
  // It stops at step 1000, and goes on from 800 ten minutes later.
  add_stretch(log, 810, 2000, 1e6 + 2.0 * 990 + 600 + 20);
  const auto use = use_of_run(log);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->steps, 2000);
  EXPECT_EQ(use->repeated, 200);
  EXPECT_EQ(use->restarts, 1);
  EXPECT_DOUBLE_EQ(use->wall_seconds, 2.0 * 2200 + 600);
  EXPECT_NEAR(use->goodput, 4000.0 / 5000, 1e-12);
  EXPECT_NEAR(use->lost, 400.0 / 5000, 1e-12);
  EXPECT_DOUBLE_EQ(use->mtbf.value(), 5000);
}

TEST(RunLogTest, WithoutStampsOnlyStepsAreSeen) {
  RunLog log;
  for (std::int64_t n = 1; n <= 100; ++n) log.steps.push_back({n, 1.0, std::nullopt});
  const auto use = use_of_run(log);
  ASSERT_TRUE(use);
  EXPECT_FALSE(use->has_stamps);
  EXPECT_DOUBLE_EQ(use->wall_seconds, 100);
  EXPECT_DOUBLE_EQ(use->goodput, 1);
}

TEST(RunLogTest, ACheckpointHoldsTheRunUpByTheTimeBeyondItsSteps) {
  RunLog log;
  double time = 1e6;
  for (std::int64_t n = 10; n <= 1000; n += 10) {
    log.steps.push_back({n, 2.0, time});
    time += 20;
    if (n % 200 == 0) {
      log.saves.push_back(log.steps.size());
      time += 7;
    }
  }
  const auto use = use_of_run(log);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->save_every.value(), 400);
  EXPECT_DOUBLE_EQ(use->save_stall.value(), 7);
}

TEST(RunLogTest, ALogWithoutTimesSaysNothing) {
  RunLog log;
  log.steps.push_back({1, 0, std::nullopt});
  EXPECT_FALSE(use_of_run(log));
}

}  // namespace
}  // namespace loadfactor::observe
