#include "workload/weights.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "workload/parameters.h"
#include "workload/test_models.h"

namespace loadfactor::workload {
namespace {

const WeightRecipe& recipe(std::string_view name) {
  return *find_weight_recipe(name);
}

std::int64_t total(const catalog::ModelSpec& model, std::string_view name) {
  return static_cast<std::int64_t>(weight_bytes(model, recipe(name)).total().base());
}

TEST(WeightsTest, SixteenBitIsTwoBytesPerParameter) {
  EXPECT_EQ(total(test_models::llama_8b(), "bf16"), 2 * 8'030'261'248);  // total_size on the hub.
  EXPECT_EQ(total(test_models::gemma3_27b(), "bf16"), 54'864'813'280);
  EXPECT_EQ(total(test_models::gpt2(), "fp32"), 4 * 124'439'808);
}

TEST(WeightsTest, BitsandbytesInt8IsExactToTheByte) {
  // int8 linears + bf16 tables and norms + an fp32 per output row + a byte per linear.
  const std::int64_t linears = 32LL * (2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 4096 * 14336);
  const std::int64_t kept = 2LL * (2 * 128256 * 4096 + 65 * 4096);
  const std::int64_t rows = 32LL * (4096 + 1024 + 1024 + 4096 + 14336 + 14336 + 4096);
  EXPECT_EQ(linears + kept + 4 * rows + 32LL * 7, 9'086'705'888);
  EXPECT_EQ(total(test_models::llama_8b(), "bitsandbytes-int8"), 9'086'705'888);
}

TEST(WeightsTest, Fp8NeverMeansOneBytePerParameter) {
  const auto model = test_models::llama_70b();
  const std::int64_t kept = 2LL * 128256 * 8192 + 161LL * 8192;  // Tables and norms.
  const std::int64_t scales = 80LL * 7 * 8;
  EXPECT_EQ(total(model, "fp8"), 70'553'706'496 + kept + scales);
  EXPECT_NEAR(static_cast<double>(kept), 2.1e9, 0.01e9);  // What people forget.
}

TEST(WeightsTest, ATiedHeadIsStoredOnce) {
  const auto gemma = test_models::gemma3_27b();
  const WeightBytes bytes = weight_bytes(gemma, recipe("bf16"));
  EXPECT_EQ(bytes.head.base(), 0.0);
  // What counts it twice says 28,842,036,848 parameters.
  EXPECT_EQ(count_parameters(gemma).total() + 262208LL * 5376, 28'842'036'848);
}

TEST(WeightsTest, GptOssKeepsOnlyItsExpertsInMxfp4) {
  const std::int64_t experts = 24LL * 32 * 3 * 2880 * 2880;
  const std::int64_t others = 20'914'757'184 - experts;
  EXPECT_EQ(total(test_models::gpt_oss_20b(), "mxfp4-experts"),
            experts / 2 + experts / 32 + 2 * others);  // 13.76 GB, as released.
}

TEST(WeightsTest, FourBitRecipesAddWhatTheyMust) {
  const auto model = test_models::llama_8b();
  const std::int64_t linears = 6'979'321'856;
  const std::int64_t kept = 2 * (8'030'261'248 - linears);
  EXPECT_EQ(total(model, "int4-awq"), linears / 2 + linears / 128 * 2 + linears / 256 + kept);
  // GPTQ also keeps an int32 per input feature: six linears read 4096, one reads 14336.
  EXPECT_EQ(total(model, "int4-gptq") - total(model, "int4-awq"), 32 * 4 * (6 * 4096 + 14336));
  EXPECT_EQ(total(model, "nvfp4"), linears / 2 + linears / 16 + 32LL * 7 * 8 + kept);
  EXPECT_EQ(total(model, "mxfp4"), linears / 2 + linears / 32 + kept);
}

TEST(WeightsTest, FeedForwardInEightBitsLeavesTheAttentionAtSixteen) {
  const auto model = test_models::llama_8b();
  const std::int64_t feed_forward = 32LL * 3 * 4096 * 14336;
  const std::int64_t scales = 32LL * 4 * (2 * 14336 + 4096);
  EXPECT_EQ(total(model, "fp8-feed-forward"),
            feed_forward + scales + 2 * (8'030'261'248 - feed_forward));
}

TEST(WeightsTest, BlockScalesRoundUpAtTheEdges) {
  const WeightTensor tensor{.rows = 130, .columns = 256, .role = ProductRole::kMixerOut};
  EXPECT_EQ(scale_bytes(tensor, recipe("fp8-block")), 2 * 2 * 4);
  const WeightTensor norm{.component = Component::kNorms, .rows = 130};
  EXPECT_EQ(scale_bytes(norm, recipe("fp8-block")), 0);
  EXPECT_EQ(data_bytes(norm, recipe("fp8-block")), 260);
}

TEST(WeightsTest, RouterTablesAndNormsAreNeverConverted) {
  for (const WeightRecipe& r : kWeightRecipes) {
    for (const WeightTensor& tensor :
         stage_tensors(test_models::deepseek_v3(), whole_model(test_models::deepseek_v3()))) {
      const bool kept =
          tensor.component == Component::kRouter || tensor.component == Component::kEmbedding ||
          tensor.component == Component::kHead || tensor.component == Component::kNorms;
      if (kept) {
        ASSERT_FALSE(is_converted(tensor, r)) << r.name << " " << tensor.name;
      }
    }
  }
}

TEST(WeightsTest, Llama70bInt8MatchesTheLogOfAnEngine) {
  // vLLM reported 67.7229 GiB of weights on one GPU.
  const double gib = static_cast<double>(total(test_models::llama_70b(), "int8")) / 1073741824.0;
  EXPECT_NEAR(gib / 67.7229, 1.0, 0.001);
}

TEST(WeightsTest, RanksTogetherHoldTheModelAndTheCopies) {
  const auto model = test_models::llama_70b();
  for (const int tp : {2, 4, 8}) {
    const WeightBytes local =
        local_weight_bytes(model, recipe("bf16"), {.tp = tp}, whole_model(model));
    const double copies = 2.0 * (tp - 1) * 161 * 8192;  // 161 norms on every rank.
    EXPECT_EQ(tp * local.total().base(), 2.0 * 70'553'706'496 + copies);
  }
}

TEST(WeightsTest, AStageHoldsTheSumOfItsTensors) {
  // Its first layers are of another kind than the rest.
  const auto model = test_models::deepseek_v3();
  const WeightRecipe& fp8 = recipe("fp8-block");
  const Sharding sharding{.ep = 8, .pp = 4, .dp = 8, .uneven = true};
  for (int index = 0; index < sharding.pp; ++index) {
    const Stage stage = pipeline_stage(model, sharding, index);
    std::int64_t bytes = 0;
    for (const WeightTensor& tensor : stage_tensors(model, stage)) {
      const WeightTensor part = local_part(tensor, sharding);
      bytes += data_bytes(part, fp8) + scale_bytes(part, fp8);
    }
    const WeightBytes held = local_weight_bytes(model, fp8, sharding, stage);
    EXPECT_EQ((held.total() - held.extras).base(), static_cast<double>(bytes)) << index;
  }
}

TEST(WeightsTest, StagesTogetherHoldTheModel) {
  const auto model = test_models::deepseek_v3();
  const Sharding sharding{.ep = 8, .pp = 4, .dp = 8, .uneven = true};
  double sum = 0;
  double experts = 0;
  for (int stage = 0; stage < 4; ++stage) {
    const Stage slice = pipeline_stage(model, sharding, stage);
    sum += local_weight_bytes(model, recipe("fp8-block"), sharding, slice).total().base();
    experts += local_weight_bytes(model, recipe("fp8-block"), {}, slice).total().base();
  }
  EXPECT_EQ(experts, static_cast<double>(total(model, "fp8-block")));
  EXPECT_LT(sum, experts / 6);
  EXPECT_GT(sum, experts / 8);  // Attention is on every rank.
}

TEST(WeightsTest, ExtrasStayOnTheFirstStageUnconverted) {
  const auto gemma = test_models::gemma3_27b();
  const Sharding sharding{.pp = 2};
  const auto extras = [&](int stage) {
    return local_weight_bytes(gemma, recipe("fp8"), sharding,
                              pipeline_stage(gemma, sharding, stage))
        .extras.base();
  };
  EXPECT_EQ(extras(0), 2.0 * 423'060'336);
  EXPECT_EQ(extras(1), 0.0);
}

}  // namespace
}  // namespace loadfactor::workload
