#include "workload/sharding.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

TEST(ShardingTest, AcceptsWhatDivides) {
  EXPECT_TRUE(validate_sharding(test_models::llama_70b(), {.tp = 8, .pp = 4, .vp = 5}).empty());
  EXPECT_TRUE(
      validate_sharding(test_models::deepseek_v3(), {.ep = 64, .pp = 61, .dp = 64}).empty());
  EXPECT_TRUE(validate_sharding(test_models::qwen3_30b_a3b(), {.tp = 8, .ep = 8, .etp = 1})
                  .empty());  // 4 key-value heads on 8 ranks: two copies each.
}

TEST(ShardingTest, NamesTheNearestLegalTp) {
  const Diagnostics found = validate_sharding(test_models::gpt2(), {.tp = 5});
  ASSERT_EQ(found.size(), 3U);  // Heads, key-value heads, MLP.
  const Error& error = found.errors().front();
  EXPECT_EQ(error.code, lf::kNotDivisible);
  EXPECT_EQ(error.message, "tp 5 does not divide the 12 attention heads");
  EXPECT_EQ(error.hint, "the nearest tp that does is 4 or 6");
}

TEST(ShardingTest, KeyValueHeadsMayBeCopiedButNotCutUnevenly) {
  // 28 query heads and 4 key-value heads: 7 divides the first, and neither divides the other.
  const Diagnostics found = validate_sharding(test_models::qwen25_7b(), {.tp = 7});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.errors()[0].message, "tp 7 does not divide the 4 key-value heads");
}

TEST(ShardingTest, RefusesDegreesBelowOne) {
  const Diagnostics found = validate_sharding(test_models::gpt2(), {.tp = 0, .pp = -2});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.errors()[0].code, lf::kOutOfRange);
  EXPECT_EQ(found.errors()[1].message, "pp must be at least 1, not -2");
}

TEST(ShardingTest, ExpertsMustDivideAndFitTheRanks) {
  const auto mixtral = test_models::mixtral_8x7b();
  const Diagnostics odd = validate_sharding(mixtral, {.ep = 3, .dp = 3});
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd.errors()[0].message, "ep 3 does not divide the 8 experts");
  EXPECT_EQ(odd.errors()[0].hint, "the nearest ep that does is 2 or 4");
  const Diagnostics crowded = validate_sharding(mixtral, {.tp = 2, .ep = 8, .dp = 2});
  ASSERT_EQ(crowded.size(), 1U);
  EXPECT_EQ(crowded.errors()[0].message,
            "ep 8 × etp 2 does not divide the 4 ranks of a stage (tp 2 × cp 1 × dp 2)");
  EXPECT_EQ(crowded.errors()[0].hint, "the nearest ep that does is 2");
}

TEST(ShardingTest, ExpertParallelismNeedsExperts) {
  const Diagnostics found = validate_sharding(test_models::llama_8b(), {.ep = 2, .dp = 2});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.errors()[0].hint, "set ep to 1");
}

TEST(ShardingTest, LayersMustSplitUnlessUnevenStagesAreAllowed) {
  const auto deepseek = test_models::deepseek_v3();
  const Diagnostics found = validate_sharding(deepseek, {.pp = 8});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.errors()[0].message, "61 layers do not split into 8 equal chunks (pp 8 × vp 1)");
  EXPECT_EQ(found.errors()[0].hint, "the nearest pp that does is 1 or 61; or allow uneven stages");
  EXPECT_TRUE(validate_sharding(deepseek, {.pp = 8, .uneven = true}).empty());
  EXPECT_FALSE(validate_sharding(deepseek, {.pp = 62, .uneven = true}).empty());
}

TEST(ShardingTest, VirtualStagesNeedAPipeline) {
  EXPECT_EQ(validate_sharding(test_models::llama_8b(), {.vp = 2}).size(), 1U);
}

TEST(ShardingTest, LegalTpAreThoseThatPassValidation) {
  for (const auto& model : {test_models::gpt2(), test_models::qwen25_7b(),
                            test_models::qwen3_next_80b(), test_models::nemotron3_nano_30b()}) {
    const std::vector<int> legal = legal_tp(model, 64);
    std::size_t next = 0;
    for (int tp = 1; tp <= 64; ++tp) {
      const bool passes = validate_sharding(model, {.tp = tp, .etp = 1}).empty();
      EXPECT_EQ(passes, next < legal.size() && legal[next] == tp) << model.name << " tp " << tp;
      if (passes) ++next;
    }
    EXPECT_EQ(next, legal.size());
  }
}

TEST(StageTest, ChunksAreDealtRoundAndRound) {
  auto model = test_models::toy();
  model.layers.assign(8, 0);
  const Sharding sharding{.pp = 2, .vp = 2};
  EXPECT_EQ(pipeline_stage(model, sharding, 0).layers, (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(pipeline_stage(model, sharding, 1).layers, (std::vector<int>{2, 3, 6, 7}));
}

TEST(StageTest, EveryLayerIsOnExactlyOneStageAndTheEndsGetFewest) {
  auto model = test_models::toy();
  for (int layers = 1; layers < 30; ++layers) {
    model.layers.assign(static_cast<std::size_t>(layers), 0);
    for (int pp = 1; pp <= layers; ++pp) {
      std::vector<int> seen(static_cast<std::size_t>(layers));
      std::size_t most = 0;
      for (int s = 0; s < pp; ++s) {
        const Stage stage = pipeline_stage(model, {.pp = pp, .uneven = true}, s);
        EXPECT_EQ(stage.first, s == 0);
        EXPECT_EQ(stage.last, s == pp - 1);
        most = std::max(most, stage.layers.size());
        for (const int layer : stage.layers) ++seen[static_cast<std::size_t>(layer)];
      }
      for (const int count : seen) ASSERT_EQ(count, 1);
      const auto last = pipeline_stage(model, {.pp = pp, .uneven = true}, pp - 1).layers.size();
      ASSERT_LE(most - last, 1U);
    }
  }
}

}  // namespace
}  // namespace loadfactor::workload
