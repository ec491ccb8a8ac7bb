#include "validation/training/measured_steps.h"

#include "validation/training/published_fixture.h"

namespace loadfactor::validation {
namespace {

constexpr const char* kHeader =
    "model,layers,hidden,heads,kv_heads,head_dim,ffn,vocab,gated,seq,micro_batch,recompute,step_"
    "s\n";

struct MeasuredSteps : ::testing::Test {
  Shipped shipped;
  const catalog::AcceleratorSpec* chip = *shipped.catalog.find_accelerator("h200-sxm");
  const training::StackTraits* stack = shipped.stacks.find("pytorch-compiled");

  StepValidation of(const std::string& text) {
    Diagnostics diagnostics;
    auto table = config::parse_csv("steps.csv", text, diagnostics);
    auto result = validate_steps(*table, *chip, {&shipped.stacks, stack}, shipped.calibration);
    EXPECT_TRUE(result.has_value());
    return result ? *result : StepValidation{};
  }
};

// A 1.3 B model on one H200: 82 ms were measured.
TEST_F(MeasuredSteps, AStepOfAnOrdinaryModelIsPredictedWithinTenPercent) {
  const auto result =
      of(std::string(kHeader) + "x,24,2048,16,16,128,8192,50304,0,2048,2,none,0.0822\n");
  ASSERT_EQ(result.time.predictions.size(), 1U);
  EXPECT_LE(result.time.worst, 10.0);
  EXPECT_EQ(result.time.predictions[0].id, "row-1");
}

TEST_F(MeasuredSteps, RecomputationTakesLonger) {
  const auto result =
      of(std::string(kHeader) + "x,24,2048,16,16,128,8192,50304,0,2048,8,none,0.2691\n" +
         "x,24,2048,16,16,128,8192,50304,0,2048,8,full,0.3492\n");
  ASSERT_EQ(result.time.predictions.size(), 2U);
  EXPECT_GT(result.time.predictions[1].predicted, result.time.predictions[0].predicted);
  EXPECT_LE(result.time.worst, 10.0);
}

TEST_F(MeasuredSteps, ARowWithoutATimeIsSkippedWithAReason) {
  const auto result = of(std::string(kHeader) + "x,24,2048,16,16,128,8192,50304,0,2048,2,none,\n");
  EXPECT_TRUE(result.time.predictions.empty());
  ASSERT_EQ(result.skipped.size(), 1U);
}

TEST_F(MeasuredSteps, ARowMayNameItsSoftware) {
  const std::string header = "stack," + std::string(kHeader);
  const auto result = of(header + ",x,24,2048,16,16,128,8192,50304,0,2048,2,none,0.0822\n" +
                         "torchtitan-eager,x,24,2048,16,16,128,8192,50304,0,2048,2,none,0.0822\n");
  ASSERT_EQ(result.time.predictions.size(), 2U);
  EXPECT_NE(result.time.predictions[0].predicted, result.time.predictions[1].predicted);
  EXPECT_EQ(result.stacks, (std::vector<std::string>{"pytorch-compiled", "torchtitan-eager"}));
  EXPECT_EQ(result.accelerator, "h200-sxm");
}

TEST_F(MeasuredSteps, ValuesThatMakeNoSenseAreSkipped) {
  for (const char* row : {"x,-24,2048,16,16,128,8192,50304,0,2048,2,none,1\n",
                          "x,24,nan,16,16,128,8192,50304,0,2048,2,none,1\n",
                          "x,24,2048,16,16,128,8192,50304,0,2048,2,maybe,1\n"}) {
    const auto result = of(std::string(kHeader) + row);
    EXPECT_EQ(result.skipped.size(), 1U) << row;
  }
}

TEST_F(MeasuredSteps, AMisspeltColumnIsRefused) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("steps.csv", "layers,hiden,heads\n1,2,3\n", diagnostics);
  (void)unread_step_columns(*table, diagnostics);
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_NE(diagnostics.errors().front().hint.find("hidden"), std::string::npos);
}

TEST_F(MeasuredSteps, ATableOfSomethingElseIsRefused) {
  Diagnostics diagnostics;
  auto table = config::parse_csv("steps.csv", "a,b\n1,2\n", diagnostics);
  EXPECT_FALSE(
      validate_steps(*table, *chip, {&shipped.stacks, stack}, shipped.calibration).has_value());
}

}  // namespace
}  // namespace loadfactor::validation
