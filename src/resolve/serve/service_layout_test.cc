// How a model is cut: as written, or the smallest replica that keeps its promises.
#include "resolve/serve/service_layout.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "resolve/serve/fit_setup.h"
#include "resolve/serve/smallest_deployment.h"
#include "resolve/serve/testing/served.h"

namespace loadfactor::engine {
namespace {

using serving::ServingLayout;
using testing::chip_of;
using testing::model_of;
using testing::served;
using testing::told;

config::Given<int> written(int value) {
  return config::Placed<int>{value, {}};
}

TEST(ServiceLayoutTest, DegreesLeftBlankAreOne) {
  config::Pool pool;
  EXPECT_EQ(written_layout(pool), ServingLayout());
  pool.tp = written(4);
  pool.pp = written(2);
  pool.cp = written(3);
  pool.dp = written(5);
  EXPECT_EQ(written_layout(pool), (ServingLayout{.tp = 4, .pp = 2, .ep = 1, .dp = 5, .cp = 3}));
}

TEST(ServiceLayoutTest, ExpertsSpreadWiderThanTpMakeCopiesOfTheAttention) {
  config::Pool pool;
  pool.tp = written(2);
  pool.ep = written(8);
  EXPECT_EQ(written_layout(pool).dp, 4);
  pool.ep = written(2);
  EXPECT_EQ(written_layout(pool).dp, 1);
  pool.dp = written(4);
  pool.ep = written(8);
  EXPECT_EQ(written_layout(pool).dp, 4);
  pool.dp = written(8);
  EXPECT_EQ(written_layout(pool).dp, 8);
}

// 32 heads with 8 of keys and values.
TEST(ServiceLayoutTest, HeadsAreSplitOrKeysAndValuesCopied) {
  const auto& model = model_of("llama-3.1-8b");
  for (const int tp : {1, 2, 4, 8}) {
    EXPECT_EQ(find_head_fault(model, tp).code, 0) << tp;
    EXPECT_EQ(find_head_fault(model, tp).copies, 1) << tp;
  }
  EXPECT_EQ(find_head_fault(model, 16).code, 0);
  EXPECT_EQ(find_head_fault(model, 16).copies, 2);
  EXPECT_EQ(find_head_fault(model, 32).copies, 4);
  for (const int tp : {3, 5, 6, 12, 24, 64})
    EXPECT_EQ(find_head_fault(model, tp).code, lf::kNotDivisible) << tp;
}

TEST(ServiceLayoutTest, StagesHaveLayersAndRanksExperts) {
  const auto& dense = model_of("llama-3.1-8b");  // 32 layers.
  EXPECT_EQ(find_cut_fault(dense, {.pp = 32}).code, 0);
  EXPECT_EQ(find_cut_fault(dense, {.pp = 33}).code, lf::kNotDivisible);
  EXPECT_EQ(find_cut_fault(dense, {.tp = 2, .ep = 2}).code, lf::kNotDivisible);
  EXPECT_EQ(find_cut_fault(dense, {.tp = 2, .ep = 1}).code, 0);
  const auto& mixture = model_of("deepseek-v3");
  EXPECT_EQ(find_cut_fault(mixture, {.tp = 2, .ep = 8, .dp = 4}).code, 0);
  EXPECT_EQ(find_cut_fault(mixture, {.tp = 2, .ep = 4, .dp = 4}).code, 0);
  EXPECT_EQ(find_cut_fault(mixture, {.tp = 2, .ep = 3, .dp = 4}).code, lf::kNotDivisible);
}

TEST(ServiceLayoutTest, DegreesReachOverTheLinksOrABusOfEight) {
  const auto& model = model_of("llama-3.1-8b");
  EXPECT_EQ(tensor_degrees(model, chip_of("h100-sxm")), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(tensor_degrees(model, chip_of("l4")), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(tensor_degrees(model, chip_of("gb200-nvl72")),
            (std::vector<int>{1, 2, 4, 8, 16, 32}));  // 32 heads.
}

testing::Scene open(const char* deployment) {
  return {.deployment = std::string("{gpu: h100-sxm, engine: vllm, ") + deployment + "}"};
}

TEST(ServiceLayoutTest, AWrittenLayoutIsCheckedAtItsPlace) {
  EXPECT_EQ(served(open("tp: 3")).code(), lf::kNotDivisible);
  EXPECT_EQ(served(open("tp: 1, pp: 64")).code(), lf::kNotDivisible);
  EXPECT_EQ(served(open("tp: 2, ep: 2")).code(), lf::kNotDivisible);  // No experts.
  EXPECT_EQ(served(open("ep: 2")).code(), lf::kNotDivisible);
  const auto plain = served(open("tp: 4"));
  EXPECT_EQ(plain->layout().tp, 4);
  EXPECT_EQ(told(*plain.setup, "copied-kv-heads", "copies"), "none");
  const auto copied = served(open("tp: 16"));
  ASSERT_TRUE(copied.setup) << copied.refusal();
  EXPECT_EQ(told(*copied.setup, "copied-kv-heads", "copies"), "2");
  EXPECT_EQ(told(*copied.setup, "copied-kv-heads", "kv_heads"), "8");
}

// 16 GB of weights in a card of 80 GB; 141 GB in two of them and a cache in four.
TEST(ServiceLayoutTest, ABlankTpIsTheSmallestReplicaThatHoldsAndKeeps) {
  const auto small = served(open("replicas: 1"));
  ASSERT_TRUE(small.setup) << small.refusal();
  EXPECT_EQ(small->layout(), ServingLayout());
  EXPECT_EQ(told(*small.setup, "chosen-tp", "tp"), "1");
  EXPECT_EQ(told(*small.setup, "chosen-tp", "keeps_slo_and_roomy_cache"), "");
  auto scene = open("replicas: 1");
  scene.model = "llama-3.3-70b";
  const auto large = served(scene);
  ASSERT_TRUE(large.setup) << large.refusal();
  EXPECT_GE(large->layout().tp, 2);
  EXPECT_TRUE(holds_request(large->plan, large->promise));
  scene.model = "llama-3.1-405b";  // 810 GB: more than the 640 of one domain.
  const auto stages = served(scene);
  ASSERT_TRUE(stages.setup) << stages.refusal();
  EXPECT_EQ(stages->layout().tp, 8);
  EXPECT_EQ(stages->layout().pp, 2);
  EXPECT_EQ(told(*stages.setup, "chosen-tp", "pp"), "2");
}

TEST(ServiceLayoutTest, ATightBoundOnTheTimePerTokenTakesMoreGpus) {
  auto scene = open("replicas: 1");
  scene.model = "llama-3.3-70b";
  scene.slo = "{tpot_p95: 200 ms}";
  const auto loose = served(scene);
  scene.slo = "{tpot_p95: 20 ms}";
  const auto tight = served(scene);
  ASSERT_TRUE(loose.setup && tight.setup);
  EXPECT_GT(tight->layout().gpus(), loose->layout().gpus());
}

TEST(ServiceLayoutTest, WhatDoesNotFitIsSaidWithWhatItTakes) {
  auto scene = open("tp: 1");
  scene.model = "llama-3.3-70b";
  EXPECT_EQ(served(scene).code(), lf::kDoesNotFit);
  auto low = open("tp: 1, memory_fraction: 20 %");
  const auto refused = served(low);
  EXPECT_EQ(refused.code(), lf::kDoesNotFit);
  EXPECT_NE(refused.refusal().find("memory_fraction is 0.2"), std::string::npos);
  EXPECT_EQ(served(scene).refusal().find("memory_fraction"), std::string::npos);
}

TEST(ServiceLayoutTest, LayoutsWithinReachHoldTheChosenOne) {
  auto scene = open("replicas: 1");
  scene.model = "llama-3.1-405b";
  auto found = served(scene);
  ASSERT_TRUE(found.setup);
  const auto said = found->notices.size();
  const auto all = layouts_within_reach(*found.setup, Side::kDecode, *found->chip, found->promise);
  EXPECT_EQ(found->notices.size(), said);  // Looking says nothing.
  EXPECT_NE(std::find(all.begin(), all.end(), found->layout()), all.end());
  for (const auto& layout : all) {
    EXPECT_EQ(find_cut_fault(*found->model, layout).code, 0);
    EXPECT_LE(layout.pp, 2);
  }
  auto written_one = served(open("tp: 2, pp: 2"));
  const auto one = layouts_within_reach(*written_one.setup, Side::kDecode, *written_one->chip,
                                        written_one->promise);
  EXPECT_EQ(one, (std::vector<ServingLayout>{{.tp = 2, .pp = 2}}));
  auto spread = served(open("dp: 2"));
  for (const auto& layout :
       layouts_within_reach(*spread.setup, Side::kDecode, *spread->chip, spread->promise))
    EXPECT_EQ(layout.dp, 2);
  auto staged = served(open("pp: 4"));
  for (const auto& layout :
       layouts_within_reach(*staged.setup, Side::kDecode, *staged->chip, staged->promise))
    EXPECT_EQ(layout.pp, 4);
}

FitSetup fit_of(const char* model, const char* chip) {
  FitInputs request;
  request.model = model;
  request.accelerator = chip;
  auto setup = make_fit_setup(request, testing::shipped());
  EXPECT_TRUE(setup);
  return *std::move(setup);
}

TEST(SmallestDeploymentTest, TheFewestGpusHoldTheWeightsAndOneSequence) {
  for (const char* name : {"llama-3.1-8b", "llama-3.3-70b", "llama-3.1-405b", "llama-3.2-1b"}) {
    const FitSetup fit = fit_of(name, "h100-sxm");
    const auto found = smallest_deployment(fit.serving, 2000, 64);
    ASSERT_TRUE(found) << name;
    EXPECT_GE(found->sequences, 1) << name;
    EXPECT_TRUE(found->gpus() <= 8 || found->gpus() % 8 == 0) << name;
    for (int fewer = 1; fewer < found->gpus(); ++fewer) {
      if (fewer > 8 && fewer % 8 != 0) continue;
      const auto split = best_split(fit.serving, fewer, 2000);
      EXPECT_TRUE(!split || split->sequences == 0) << name << " on " << fewer;
    }
    // The limit is a limit.
    EXPECT_FALSE(smallest_deployment(fit.serving, 2000, found->gpus() - 1)) << name;
  }
}

TEST(SmallestDeploymentTest, ASplitUsesAllItsGpusWithTheWidestTpThatHolds) {
  const FitSetup fit = fit_of("llama-3.1-8b", "h100-sxm");
  for (const int gpus : {1, 2, 3, 4, 6, 8, 16}) {
    const auto found = best_split(fit.serving, gpus, 2000);
    ASSERT_TRUE(found) << gpus;
    EXPECT_EQ(found->gpus(), gpus);
    EXPECT_GT(found->sequences, 0);
  }
  EXPECT_EQ(best_split(fit.serving, 8, 2000)->sharding.tp, 8);
  EXPECT_EQ(best_split(fit.serving, 6, 2000)->sharding.tp, 2);
  EXPECT_EQ(best_split(fit.serving, 16, 2000)->sharding.tp, 8);  // Links end at eight.
  EXPECT_FALSE(best_split(fit.serving, 31 * 8 * 37, 2000));      // More stages than layers.
  // Where nothing holds a sequence, the narrowest split that is legal says so.
  const FitSetup large = fit_of("llama-3.1-405b", "h100-sxm");
  EXPECT_EQ(best_split(large.serving, 8, 2000)->sequences, 0);
}

}  // namespace
}  // namespace loadfactor::engine
