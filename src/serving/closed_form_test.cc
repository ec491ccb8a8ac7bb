#include "serving/closed_form.h"

#include <cmath>

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"

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
    EXPECT_NEAR(figures.request_rate.base() * figures.latency.base(), users, 0.15 * users) << users;
  }
}

TEST(ClosedFormTest, MoreUsersMeanMoreThroughputAndLongerGaps) {
  Case c;
  double rate = 0, gap = 0;
  for (const double users : {1.0, 4.0, 16.0, 64.0}) {
    c.load.concurrency = users;
    const auto figures = c.run();
    EXPECT_GT(figures.output_rate.base(), rate);
    EXPECT_GE(figures.tpot.base(), gap);
    rate = figures.output_rate.base();
    gap = figures.tpot.base();
  }
}

TEST(ClosedFormTest, RequestsThatOpenARunWaitForWhatIsDoneOnce) {
  Case c;
  c.load.concurrency = 8;
  c.load.opening = 0.2;
  Constants warm = shipped().constants;
  warm.values[Constants::place(Constant::kCold)] = 1e-9;
  Constants cold = warm;
  cold.values[Constants::place(Constant::kCold)] = 0.5;
  const auto ttft = [&](const Constants& constants) {
    return closed_form(c.pool, c.load, constants).ttft.base();
  };
  EXPECT_NEAR(ttft(cold) - ttft(warm), 0.2 * 0.5, 0.02);
}

TEST(ClosedFormTest, ABoundOnTheFirstTokenLeavesThePromptsIdle) {
  Case c;
  c.load = {.kind = LoadKind::kOffline, .input = 8192, .output = 2};
  c.pool.chunk = 8192;
  const double most = c.run().request_rate.base();
  const double alone =
      c.step.duration({.prompt_tokens = 8192, .chunk = 8192, .finishing = 1}, shipped().constants)
          .base();
  // Where a share ρ is busy, ρ e^(−θ t / s) wait longer than t, with ρ (e^θ − 1) = θ: for one of a
  // hundred and ten times the service θ is 0.4378, since 0.797 · e^−4.378 = 0.01.
  c.load.ttft_bound = Seconds::from_base(11 * alone);
  const double busy = c.run().request_rate.base() * alone;
  EXPECT_NEAR(busy, 0.4378 / std::expm1(0.4378), 1e-3);
  EXPECT_NEAR(busy * std::exp(-4.378), 0.01, 1e-4);
  // A bound of three times the service still serves: heavy traffic's formula had nobody served.
  c.load.ttft_bound = Seconds::from_base(3 * alone);
  EXPECT_GT(c.run().request_rate.base() * alone, 0.3);
  c.load.ttft_bound = Seconds::from_base(1e6 * alone);
  EXPECT_NEAR(c.run().request_rate.base(), most, 0.02 * most);
}

TEST(ClosedFormTest, MorePromptsAddTheTimeThatTheyTakeAtSaturation) {
  Case c;
  c.load.kind = LoadKind::kOffline;
  const double endless = c.run().request_rate.base();
  const auto lasting = [&](double prompts) {
    c.load.prompts = prompts;
    return prompts / c.run().request_rate.base();
  };
  EXPECT_NEAR(lasting(4000) - lasting(2000), 2000 / endless, 1e-6 * 2000 / endless);
  // While the last answers end the batch is half full on average, and its steps are shorter.
  const double longer = lasting(2000) - 2000 / endless;
  EXPECT_GE(longer, 0);
  EXPECT_LT(longer, 0.5 * c.load.output * c.run().decode_step.base());
}

TEST(ClosedFormTest, NoLoadExceedsSaturation) {
  Case c;
  c.load.concurrency = 100000;
  const double crowded = c.run().output_rate.base();
  c.load.kind = LoadKind::kOffline;
  EXPECT_LE(crowded, 1.02 * c.run().output_rate.base());
}

TEST(ClosedFormTest, ReplicasMultiplyTheRateAndLeaveTheGap) {
  Case c;
  c.load.concurrency = 16;
  const auto one = c.run();
  c.pool.replicas = 4;
  c.load.concurrency = 64;
  const auto four = c.run();
  EXPECT_NEAR(four.output_rate.base(), 4 * one.output_rate.base(), 1e-6 * four.output_rate.base());
  EXPECT_NEAR(four.tpot.base(), one.tpot.base(), 1e-9);
}

TEST(ClosedFormTest, APaceScalesEveryStep) {
  Case c;
  c.load.kind = LoadKind::kStatic;
  c.load.concurrency = 16;
  const auto before = c.run();
  c.pool.pace = 2;
  const auto after = c.run();
  EXPECT_NEAR(after.tpot.base(), 2 * before.tpot.base(), 1e-9);
  EXPECT_NEAR(after.output_rate.base(), 0.5 * before.output_rate.base(),
              1e-6 * before.output_rate.base());
}

TEST(ClosedFormTest, ABoundOnTheGapLowersTheBatch) {
  Case c;
  c.load.kind = LoadKind::kOffline;
  const auto free = c.run();
  c.load.tpot_bound =
      Seconds::from_base(0.5 * free.step.base() / shipped().constants[Constant::kSloShare]);
  const auto bounded = c.run();
  EXPECT_LT(bounded.batch, free.batch);
  EXPECT_LE(bounded.step.base(), 1.01 * 0.5 * free.step.base());
}

TEST(ClosedFormTest, OneUserWaitsForNobodysPrompts) {
  Case c;
  c.load.concurrency = 1;
  c.load.input = 8000;
  for (const double output : {2.0, 5.0, 200.0}) {
    c.load.output = output;
    const double alone =
        c.step.duration({.sequences = 1, .context = 8000 + output / 2}, shipped().constants).base();
    EXPECT_NEAR(c.run().tpot.base(), alone, 1e-6) << output;
  }
}

TEST(ClosedFormTest, WhereTheNextStepIsSettledARequestWaitsForIt) {
  EngineTraits ahead = shipped().traits("vllm-v1");
  ahead.schedules_ahead = true;
  Case c;
  ServingDeployment deployment = c.step.deployment();
  deployment.engine = &ahead;
  const StepModel other(deployment);
  const auto later = [&](double users) {
    c.load.concurrency = users;
    c.pool.step = &c.step;
    const auto before = c.run();
    c.pool.step = &other;
    const auto after = c.run();
    return (after.ttft - before.ttft) / before.step;
  };
  EXPECT_NEAR(later(1), 0.0, 1e-9);  // Nothing runs when it comes.
  EXPECT_NEAR(later(16), 1.0, 0.1);
  EXPECT_NEAR(later(64), 1.0, 0.1);
}

TEST(ClosedFormTest, PromptsThatTheCacheHoldsInPartPassAtMoreThanTheirShare) {
  Case c;
  c.load = {.kind = LoadKind::kPrefillOnly, .input = 4096, .output = 1, .concurrency = 16384};
  const double all = c.run().request_rate.base();
  c.load.cached = 0.5;
  // Half the tokens are computed, and attend to the other half.
  const auto half = c.run();
  EXPECT_GT(half.request_rate.base() / all, 1.7);
  EXPECT_LT(half.request_rate.base() / all, 2.0);
  EXPECT_NEAR(half.output_rate.base(), half.request_rate.base() * 4096,
              1e-6 * half.output_rate.base());
}

TEST(ClosedFormTest, StagesDoNotShareOnePrompt) {
  Case c;
  c.load.concurrency = 1;
  c.load.input = 8192;
  const double one = c.run().ttft.base();
  for (const int stages : {2, 4, 8}) {
    c.step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {.pp = stages});
    EXPECT_NEAR(c.run().ttft.base(), one, 0.1 * one) << stages;
  }
}

TEST(ClosedFormTest, ManyPromptsFillAllStages) {
  Case c;
  c.load.kind = LoadKind::kOffline;
  c.load.output = 2;  // Nearly all work is prompts.
  const double one = c.run().request_rate.base();
  c.step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {.pp = 2});
  EXPECT_GT(c.run().request_rate.base(), 1.6 * one);
}

TEST(ClosedFormTest, NoPaceIsFasterThanLight) {
  Case c;
  c.pool.pace = 0.01;
  c.load.input = 8192;
  c.load.concurrency = 1;
  EXPECT_GE(c.run().ttft, c.step.least({.prompt_tokens = 8192, .chunk = 8192, .finishing = 1}));
  EXPECT_GE(c.run().tpot, c.step.least({.sequences = 1, .context = 8192}));
}

TEST(ClosedFormTest, PromptsThatRunAloneDelayEveryAnswerByAWholeStep) {
  Case c;
  c.load.concurrency = 32;
  c.step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {}, "sglang");
  const auto& traits = c.step.deployment().engine;
  ASSERT_TRUE(traits->prompts_alone);
  const auto apart = c.run();
  EngineTraits mixing = *traits;
  mixing.prompts_alone = false;
  ServingDeployment deployment = c.step.deployment();
  deployment.engine = &mixing;
  c.step = StepModel(deployment);
  EXPECT_GT(apart.tpot.base(), c.run().tpot.base());
}

TEST(WholeBatchesTest, NobodyJoinsSoThatFirstTokensWaitAndLessIsServed) {
  Case c;
  c.step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {}, "plain");
  EngineTraits joining = *c.step.deployment().engine;
  ASSERT_TRUE(joining.whole_batches);
  c.load.kind = LoadKind::kOpenLoop;
  c.load.prompts = -1;
  c.load.rate = Hertz::from_base(2);
  const auto waiting = c.run();
  c.load.kind = LoadKind::kOffline;
  const double full = c.run().request_rate.base();
  joining.whole_batches = false;
  ServingDeployment deployment = c.step.deployment();
  deployment.engine = &joining;
  c.step = StepModel(deployment);
  EXPECT_GT(c.run().request_rate.base(), 1.5 * full);
  c.load.kind = LoadKind::kOpenLoop;
  EXPECT_GT(waiting.ttft.base(), 5 * c.run().ttft.base());
}

TEST(WholeBatchesTest, ABatchIsWhoArrivedDuringTheOneBefore) {
  Case c;
  c.step = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", {}, "plain");
  c.load.kind = LoadKind::kOpenLoop;
  c.load.prompts = -1;
  c.load.rate = Hertz::from_base(4);
  const auto figures = c.run();
  // On average half of a batch's time is waited, and the batch has rate × time requests.
  EXPECT_NEAR(figures.batch, 2 * figures.waiting.base() * c.load.rate.base(), 0.01 * figures.batch);
}

struct SplitCase : Case {
  Pool prompts{.step = &step, .replicas = 2, .gpus = 2, .chunk = 8192};
  SplitCase() {
    pool.replicas = 2;
    pool.prompts = &prompts;
  }
};

TEST(SplitPoolsTest, AnswersWaitForNoPrompts) {
  SplitCase c;
  c.load.kind = LoadKind::kOpenLoop;
  c.load.prompts = -1;
  c.load.rate = Hertz::from_base(10);
  const auto split = c.run();
  EXPECT_NEAR(split.request_rate.base(), 10, 1e-6);
  EXPECT_LT(split.tpot, c.step.duration({.sequences = 20, .context = 1200}, shipped().constants));
}

TEST(SplitPoolsTest, PromptsBoundTheRateWhereTheyAreMany) {
  SplitCase c;
  c.load.kind = LoadKind::kOffline;
  c.load.output = 10;
  const double two = c.run().request_rate.base();
  c.prompts.replicas = 4;
  EXPECT_NEAR(c.run().request_rate.base(), 2 * two, 0.2 * two);
}

TEST(ClosedFormTest, ABatchOf64OnAnA100DoesSomeTwentyfoldTheWorkOfOne) {
  Case c;
  c.step = shipped().step("llama-2-7b", "a100-80gb-sxm", "fp16");
  c.load = {.kind = LoadKind::kStatic, .input = 128, .output = 128, .concurrency = 1};
  const double one = c.run().output_rate.base();
  c.load.concurrency = 64;
  const double many = c.run().output_rate.base();
  EXPECT_GT(many / one, 20);
  EXPECT_LT(many / one, 40);
}

}  // namespace
}  // namespace loadfactor::serving
