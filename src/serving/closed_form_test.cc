#include "serving/closed_form.h"

#include <gtest/gtest.h>

#include "serving/serving_fixture.h"

namespace loadfactor::serving {
namespace {

struct Case {
  StepModel step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16");
  Pool pool{.step = &step, .slots = 200, .chunk = 8192};
  Load load{.kind = LoadKind::kClosedLoop, .input = 1000, .output = 200, .opening = 0};

  LoadFigures run() const { return closed_form(pool, load, shipped().constants); }
};

TEST(ClosedFormTest, LittlesLawHoldsInAClosedLoop) {
  Case c;
  for (const double users : {1.0, 8.0, 64.0, 400.0}) {
    c.load.concurrency = users;
    const auto figures = c.run();
    EXPECT_NEAR(figures.request_rate * figures.latency, users, 0.15 * users) << users;
  }
}

TEST(ClosedFormTest, MoreUsersMeanMoreThroughputAndLongerGaps) {
  Case c;
  double rate = 0, gap = 0;
  for (const double users : {1.0, 4.0, 16.0, 64.0}) {
    c.load.concurrency = users;
    const auto figures = c.run();
    EXPECT_GT(figures.output_rate, rate);
    EXPECT_GE(figures.tpot, gap);
    rate = figures.output_rate;
    gap = figures.tpot;
  }
}

TEST(ClosedFormTest, NoLoadExceedsSaturation) {
  Case c;
  c.load.concurrency = 100000;
  const double crowded = c.run().output_rate;
  c.load.kind = LoadKind::kOffline;
  EXPECT_LE(crowded, 1.02 * c.run().output_rate);
}

TEST(ClosedFormTest, ReplicasMultiplyTheRateAndLeaveTheGap) {
  Case c;
  c.load.concurrency = 16;
  const auto one = c.run();
  c.pool.replicas = 4;
  c.load.concurrency = 64;
  const auto four = c.run();
  EXPECT_NEAR(four.output_rate, 4 * one.output_rate, 1e-6 * four.output_rate);
  EXPECT_NEAR(four.tpot, one.tpot, 1e-9);
}

TEST(ClosedFormTest, APaceScalesEveryStep) {
  Case c;
  c.load.kind = LoadKind::kStatic;
  c.load.concurrency = 16;
  const auto before = c.run();
  c.pool.pace = 2;
  const auto after = c.run();
  EXPECT_NEAR(after.tpot, 2 * before.tpot, 1e-9);
  EXPECT_NEAR(after.output_rate, 0.5 * before.output_rate, 1e-6 * before.output_rate);
}

TEST(ClosedFormTest, ABoundOnTheGapLowersTheBatch) {
  Case c;
  c.load.kind = LoadKind::kOffline;
  const auto free = c.run();
  c.load.tpot_bound = 0.5 * free.step / shipped().constants[Constant::kSloShare];
  const auto bounded = c.run();
  EXPECT_LT(bounded.batch, free.batch);
  EXPECT_LE(bounded.step, 1.01 * 0.5 * free.step);
}

TEST(ClosedFormTest, ABatchOf64OnAnA100DoesSomeTwentyfoldTheWorkOfOne) {
  Case c;
  c.step = shipped().step("llama-2-7b", "a100-80gb-sxm", "fp16");
  c.load = {.kind = LoadKind::kStatic, .input = 128, .output = 128, .concurrency = 1};
  const double one = c.run().output_rate;
  c.load.concurrency = 64;
  const double many = c.run().output_rate;
  EXPECT_GT(many / one, 20);
  EXPECT_LT(many / one, 40);
}

}  // namespace
}  // namespace loadfactor::serving
