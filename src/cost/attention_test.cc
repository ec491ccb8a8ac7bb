#include "cost/attention.h"

#include <gtest/gtest.h>

namespace loadfactor::cost {
namespace {

using namespace literals;

ChipRates toy_chip() {
  ChipRates rates;
  rates.peak.fill(1000_TFLOPps);
  rates.memory = 4_TBps;
  rates.units = 128;
  return rates;
}

KernelFit usual_fit() {
  KernelFit fit;
  fit.parameters = {.sustained = 0.6, .half = 200, .wave_paid = 0.5, .memory = 0.8, .fixed = 8_us};
  return fit;
}

AttentionCall prompt(std::int64_t length) {
  return {.batch = 1, .heads = 32, .kv_heads = 8, .queries = length, .context = length};
}

TEST(AttentionTest, ACausalMaskShowsHalfThePairsAndTheDiagonal) {
  EXPECT_DOUBLE_EQ(visible_pairs(prompt(4)), 10);  // 1 + 2 + 3 + 4.
  AttentionCall all = prompt(4);
  all.causal = false;
  EXPECT_DOUBLE_EQ(visible_pairs(all), 16);
}

TEST(AttentionTest, AWindowShowsNoMoreThanItself) {
  AttentionCall call = prompt(5);
  call.window = 2;
  EXPECT_DOUBLE_EQ(visible_pairs(call), 1 + 2 + 2 + 2 + 2);
  call.window = 100;
  EXPECT_DOUBLE_EQ(visible_pairs(call), visible_pairs(prompt(5)));
}

TEST(AttentionTest, AContinuedPromptSeesWhatCameBefore) {
  AttentionCall call = prompt(2);
  call.context = 10;
  EXPECT_DOUBLE_EQ(visible_pairs(call), 9 + 10);
}

TEST(AttentionTest, ForwardFlopsCountTwoProducts) {
  // 2 products · 2 FLOP · 32 heads · 128 · pairs.
  EXPECT_DOUBLE_EQ(attention_flops(prompt(4), false) / Flops::from_base(1), 4.0 * 32 * 128 * 10);
  EXPECT_DOUBLE_EQ(attention_flops(prompt(4), true) / attention_flops(prompt(4), false), 2.5);
}

TEST(AttentionTest, LongPromptsApproachTheSustainedRate) {
  const AttentionCall call = prompt(65536);
  const Seconds ideal = attention_flops(call, false) / (1000_TFLOPps * 0.6);
  EXPECT_NEAR(estimate_attention(call, toy_chip(), usual_fit()).duration / ideal, 1.0, 0.02);
}

TEST(AttentionTest, TwiceTheLengthTakesTwiceToFourTimesAsLongAtLeastOnceItIsLong) {
  for (std::int64_t length = 4096; length <= 65536; length *= 2) {
    const double ratio = estimate_attention(prompt(2 * length), toy_chip(), usual_fit()).duration /
                         estimate_attention(prompt(length), toy_chip(), usual_fit()).duration;
    EXPECT_GT(ratio, 2.0);
    EXPECT_LT(ratio, 4.1);
  }
}

TEST(AttentionTest, NeverBeatsTheRooflineAtPeak) {
  KernelFit ideal;
  ideal.parameters = {.sustained = 1.0, .wave_paid = 0.0, .memory = 1.0};
  for (std::int64_t length = 1; length <= 65536; length *= 2) {
    const AttentionCall call = prompt(length);
    EXPECT_GE(estimate_attention(call, toy_chip(), ideal).duration,
              attention_roofline(call, false, toy_chip()).longer());
  }
}

TEST(AttentionTest, DecodingReadsTheCacheOnce) {
  AttentionCall call = prompt(1);
  call.batch = 64;
  call.context = 8192;
  KernelFit ideal;
  ideal.parameters = {.sustained = 1.0, .half = 0.0, .wave_paid = 0.0, .memory = 1.0};
  // 64 sequences · 8192 · 8 heads · 256 · 2 B = 2.147 GB at 4 TB/s = 537 us, and the queries.
  const auto time = estimate_decode_attention(call, toy_chip(), ideal);
  EXPECT_NEAR(time.duration / 1_us, 537, 3);
  EXPECT_EQ(time.bound, Bound::kMemory);
}

TEST(AttentionTest, ALatentCacheIsReadOnceForKeysAndValues) {
  AttentionCall latent{.batch = 64,
                       .heads = 128,
                       .kv_heads = 1,
                       .head_dim = 576,
                       .value_dim = 512,
                       .queries = 1,
                       .context = 8192};
  const Seconds both = attention_roofline(latent, false, toy_chip()).memory;
  latent.values_in_keys = true;
  EXPECT_LT(attention_roofline(latent, false, toy_chip()).memory * 1.8, both);
}

}  // namespace
}  // namespace loadfactor::cost
