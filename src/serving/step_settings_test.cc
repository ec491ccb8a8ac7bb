// Laws of the settings that a deployment may have: proposals ahead, adapters, shared prompts.
#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

StepModel with(const Speculation& speculation, const Adapters& adapters = {},
               ServingLayout layout = {}) {
  const StepModel plain = shipped().step("llama-3.1-8b", "h100-sxm", "bf16", layout);
  ServingDeployment deployment = plain.deployment();
  deployment.speculation = speculation;
  deployment.adapters = adapters;
  return StepModel(deployment);
}

double decode(const StepModel& model, double sequences) {
  return model.duration({.sequences = sequences, .context = 1000}, shipped().constants).base();
}

TEST(SpeculationTest, ASequenceGainsTheSumOfTheChances) {
  EXPECT_DOUBLE_EQ((Speculation{.tokens = 3, .acceptance = 0.5}).gained(), 1.875);
  EXPECT_DOUBLE_EQ((Speculation{.tokens = 3, .acceptance = 1}).gained(), 4);
  EXPECT_DOUBLE_EQ((Speculation{}).gained(), 1);
}

TEST(SpeculationTest, SureProposalsForNothingPayAlmostInFullAtABatchOfOne) {
  const double plain = decode(with({}), 1);
  const double fast = decode(with({.tokens = 3, .acceptance = 1, .draft = 0}), 1);
  EXPECT_GE(fast, plain / 4 * (1 - 1e-12));
  EXPECT_LT(fast, plain / 3.5);
}

TEST(SpeculationTest, ProposalsThatAreNeverRightOnlyCost) {
  for (const double sequences : {1.0, 64.0, 256.0})
    EXPECT_GT(decode(with({.tokens = 3, .acceptance = 0}), sequences), decode(with({}), sequences));
}

TEST(SpeculationTest, ItIsWorthLessTheFullerTheBatch) {
  const Speculation ahead{.tokens = 4, .acceptance = 0.7};
  double last = 0;
  for (const double sequences : {1.0, 32.0, 256.0, 1000.0}) {
    const double cost = decode(with(ahead), sequences) / decode(with({}), sequences);
    EXPECT_GT(cost, last) << sequences;
    last = cost;
  }
}

TEST(AdaptersTest, MoreAdaptersAndHigherRanksTakeLonger) {
  const double plain = decode(with({}), 32);
  const double one = decode(with({}, {.rank = 16, .active = 1}), 32);
  const double many = decode(with({}, {.rank = 16, .active = 32}), 32);
  const double wide = decode(with({}, {.rank = 128, .active = 32}), 32);
  EXPECT_LT(plain, one);
  EXPECT_LT(one, many);
  EXPECT_LT(many, wide);
}

// Queries, keys, values, gate and up have an adapter each: what training writes is what is served.
TEST(AdaptersTest, TheyAreAsLargeAsTrainingOfAllProductsMakesThem) {
  const double learned = 41'943'040;  // Rank 16 on all linear layers of Llama 3.1 8B.
  EXPECT_DOUBLE_EQ(with({}, {.rank = 16, .active = 1}).adapter_bytes().base(), 2 * learned);
}

TEST(AdaptersTest, ABatchOfOneHoldsOneAdapter) {
  EXPECT_DOUBLE_EQ(decode(with({}, {.rank = 16, .active = 1}), 1),
                   decode(with({}, {.rank = 16, .active = 64}), 1));
}

TEST(SharedPromptTest, TwoRanksTakeMoreThanHalfAndLessThanAllOfTheTimeOfAPrompt) {
  const StepBatch prompt{.prompt_tokens = 32768, .chunk = 32768, .finishing = 1};
  const double one = with({}).duration(prompt, shipped().constants).base();
  const double two = with({}, {}, {.cp = 2}).duration(prompt, shipped().constants).base();
  EXPECT_GT(two, 0.5 * one);
  EXPECT_LT(two, 0.75 * one);
}

TEST(PrefixTest, WhatTheCacheHoldsIsNotComputedButAttendedTo) {
  const StepModel model = with({});
  Pool pool{.step = &model, .slots = 64};
  Load load{.kind = LoadKind::kClosedLoop, .input = 8000, .output = 100, .concurrency = 1};
  const double all = closed_form(pool, load, shipped().constants).ttft.base();
  load.cached = 0.75;
  const double quarter = closed_form(pool, load, shipped().constants).ttft.base();
  EXPECT_LT(quarter, 0.5 * all);
  load.input = 2000;
  load.cached = 0;
  EXPECT_GT(quarter, closed_form(pool, load, shipped().constants).ttft.base());
}

}  // namespace
}  // namespace loadfactor::serving
