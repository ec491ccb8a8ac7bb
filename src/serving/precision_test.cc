// Formats of weights and the kernels that multiply them, on chips with and without units for them.
#include "serving/precision.h"

#include <gtest/gtest.h>

#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

using catalog::Dtype;
using cost::KernelVariant;

ServingPrecision on(const char* chip, const char* word, const char* model = "llama-3.1-8b") {
  return choose_precision(word, **shipped().catalog.find_model(model),
                          **shipped().catalog.find_accelerator(chip))
      .kernels;
}

TEST(PrecisionTest, AFormatWithoutUnitsIsReadNarrowAndMultipliedInSixteenBits) {
  EXPECT_EQ(on("a100-80gb-sxm", "fp8").dense,
            (KernelFormat{Dtype::kBf16, KernelVariant::kWeightOnly8}));
  EXPECT_EQ(on("h100-sxm", "fp8").dense, KernelFormat{Dtype::kFp8});
  EXPECT_EQ(on("h100-sxm", "nvfp4").dense,
            (KernelFormat{Dtype::kBf16, KernelVariant::kWeightOnly4}));
  EXPECT_EQ(on("b200", "nvfp4").dense, KernelFormat{Dtype::kNvfp4});
  const auto experts = [](const char* chip) { return on(chip, "mxfp4", "gpt-oss-120b").experts; };
  EXPECT_EQ(experts("h100-sxm"), (KernelFormat{Dtype::kBf16, KernelVariant::kWeightOnly4}));
  EXPECT_EQ(experts("b200"), (KernelFormat{Dtype::kMxfp8, KernelVariant::kWeightOnly4}));
}

// At a batch of one weights are read, a quarter of the bytes; a long prompt multiplies as before.
TEST(PrecisionTest, NarrowWeightsSaveTheirBytesAndNoArithmetic) {
  const auto products = [](const char* precision, const StepBatch& batch) {
    return shipped()
        .step("llama-3.1-8b", "a100-80gb-sxm", precision)
        .parts(batch, shipped().constants)
        .products;
  };
  const StepBatch one{.sequences = 1, .context = 512};
  EXPECT_GT(products("int4", one) / products("bf16", one), 0.25);
  EXPECT_LT(products("int4", one) / products("bf16", one), 0.6);
  const StepBatch prompts{.prompt_tokens = 8192, .chunk = 8192, .finishing = 1};
  EXPECT_GT(products("int4", prompts) / products("bf16", prompts), 0.95);
}

// Router, permutation and sum are kernels of their own in each of 48 layers, however few the rows.
TEST(PrecisionTest, AMixtureAtABatchOfOnePaysTheSmallKernelsOfEveryLayer) {
  const Constants& c = shipped().constants;
  const StepBatch one{.sequences = 1, .context = 512};
  const auto parts = shipped().step("qwen3-30b-a3b", "h200-sxm", "bf16").parts(one, c);
  EXPECT_GE(parts.launch.base(), 48 * c[Constant::kExpertLaunch]);
  EXPECT_GT(parts.launch, parts.experts * 0.5);
}

}  // namespace
}  // namespace loadfactor::serving
