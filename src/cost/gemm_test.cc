#include "cost/gemm.h"

#include <array>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/random.h"

namespace loadfactor::cost {
namespace {

using namespace literals;
using catalog::Dtype;

ChipRates toy_chip() {
  ChipRates rates;
  rates.peak.fill(1000_TFLOPps);
  rates.memory = 4_TBps;
  rates.units = 128;
  return rates;
}

KernelFit ideal_fit() {
  KernelFit fit;
  fit.parameters = {.sustained = 1.0,
                    .half = 0.0,
                    .tile_cost = 0.0,
                    .wave_paid = 0.0,
                    .split = 1.0,
                    .memory = 1.0};
  return fit;
}

KernelFit usual_fit() {
  KernelFit fit;
  fit.parameters = {.sustained = 0.75,
                    .half = 100,
                    .tile_cost = 40,
                    .wave_paid = 0.3,
                    .split = 0.3,
                    .memory = 0.8,
                    .fixed = 3_us};
  return fit;
}

TEST(GemmTest, ALargeProductOnAnIdealChipTakesFlopsOverPeak) {
  // 2 · 8192³ = 1.0995e12 FLOP at 1000 TFLOP/s; traffic is 0.1 of that time.
  const auto time = estimate_gemm({.shape = {8192, 8192, 8192}}, toy_chip(), ideal_fit());
  EXPECT_NEAR(time.duration / 1_ms, 1.0995, 0.001);
  EXPECT_EQ(time.bound, Bound::kArithmetic);
}

TEST(GemmTest, OneRowIsBoundByReadingTheWeights) {
  // 4096 × 4096 weights of 2 bytes at 4 TB/s: 8.39 us.
  const auto time = estimate_gemm({.shape = {1, 4096, 4096}}, toy_chip(), ideal_fit());
  EXPECT_NEAR(time.duration / 1_us, 8.39, 0.2);
  EXPECT_EQ(time.bound, Bound::kMemory);
}

TEST(GemmTest, SplittingKHelpsWhereTilesAreFew) {
  KernelFit whole = ideal_fit();
  whole.parameters.split = 0.0;
  const GemmCall call{.shape = {256, 256, 65536}};
  // Without, 16 of 128 units work; reading 67 MB then hides behind them.
  EXPECT_LT(estimate_gemm(call, toy_chip(), ideal_fit()).duration * 3.0,
            estimate_gemm(call, toy_chip(), whole).duration);
}

TEST(GemmTest, NothingToMultiplyTakesNoTime) {
  EXPECT_EQ(estimate_gemm({.shape = {0, 8, 8}}, toy_chip(), usual_fit()).duration, Seconds{});
}

struct RandomShape {
  explicit RandomShape(std::uint64_t seed) : stream(seed, "gemm shapes") {}
  std::int64_t side() { return static_cast<std::int64_t>(std::exp2(stream.uniform() * 14.0)); }
  GemmCall call() { return {.shape = {side(), side(), side()}}; }
  RandomStream stream;
};

TEST(GemmTest, PayingForUnfilledWavesNeverHelps) {
  RandomShape random(4);
  KernelFit paid = usual_fit();
  paid.parameters.wave_paid = 1.0;
  KernelFit free = usual_fit();
  free.parameters.wave_paid = 0.0;
  int slower = 0;
  for (int i = 0; i < 1000; ++i) {
    const GemmCall call = random.call();
    const Seconds with = estimate_gemm(call, toy_chip(), paid).duration;
    const Seconds without = estimate_gemm(call, toy_chip(), free).duration;
    ASSERT_GE(with, without);
    if (with > without * 1.05) ++slower;
  }
  EXPECT_GT(slower, 30);
}

TEST(GemmTest, NeverBeatsTheRooflineAtPeak) {
  RandomShape random(1);
  for (int i = 0; i < 1000; ++i) {
    const GemmCall call = random.call();
    const Seconds least = gemm_roofline(call, toy_chip()).longer();
    ASSERT_GE(estimate_gemm(call, toy_chip(), usual_fit()).duration, least);
    ASSERT_GE(estimate_gemm(call, toy_chip(), ideal_fit()).duration, least);
  }
}

TEST(GemmTest, TwiceTheRowsColumnsOrDepthNeverTakesLess) {
  RandomShape random(2);
  for (int i = 0; i < 1000; ++i) {
    const GemmCall call = random.call();
    const Seconds before = estimate_gemm(call, toy_chip(), usual_fit()).duration;
    for (std::int64_t GemmShape::*side : {&GemmShape::m, &GemmShape::n, &GemmShape::k}) {
      GemmCall twice = call;
      twice.shape.*side *= 2;
      ASSERT_GE(estimate_gemm(twice, toy_chip(), usual_fit()).duration, before * 0.9999);
    }
  }
}

TEST(GemmTest, AFasterChipIsNeverSlower) {
  RandomShape random(3);
  ChipRates faster = toy_chip();
  faster.peak.fill(1500_TFLOPps);
  faster.memory = 6_TBps;
  for (int i = 0; i < 1000; ++i) {
    const GemmCall call = random.call();
    ASSERT_LE(estimate_gemm(call, faster, usual_fit()).duration,
              estimate_gemm(call, toy_chip(), usual_fit()).duration);
  }
}

}  // namespace
}  // namespace loadfactor::cost
