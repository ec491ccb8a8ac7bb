#include "cost/memory_ops.h"

#include <gtest/gtest.h>

#include "cost/grouped_gemm.h"
#include "cost/sustained_clock.h"

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

TEST(MemoryOpsTest, TakesTrafficOverTheReachedBandwidthAndAStart) {
  KernelFit fit;
  fit.parameters = {.memory = 0.5, .fixed = 2_us};
  // 2 GB / (4 TB/s · 0.5) = 1 ms.
  EXPECT_NEAR(estimate_memory_op(2_GB, toy_chip(), fit).duration / 1_us, 1002, 0.01);
  EXPECT_EQ(estimate_memory_op(Bytes{}, toy_chip(), fit).duration, Seconds{});
}

TEST(MemoryOpsTest, RowsStandInTheOrderOfTheirOps) {
  for (std::size_t i = 0; i < kMemoryOps.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kMemoryOps[i].op), i);
  }
}

TEST(MemoryOpsTest, AdamInMixedPrecisionMoves30BytesPerParameter) {
  // Gradient 4, master 2 · 4, moments 2 · 8, copy 2.
  EXPECT_DOUBLE_EQ(adam_traffic(1.0, {}) / 1_B, 30);
  // Everything in 16 bits: 2 + 2 · (2 + 2 + 2).
  EXPECT_DOUBLE_EQ(adam_traffic(1.0, {2, 0, 2, 2, 2}) / 1_B, 14);
}

TEST(MemoryOpsTest, AFusedLossMovesTheLogitsThreeTimes) {
  EXPECT_DOUBLE_EQ(cross_entropy_traffic(1.0, 2.0, true) / 1_B, 6);
  EXPECT_DOUBLE_EQ(cross_entropy_traffic(1.0, 2.0, false) / 1_B, 28);
}

TEST(MemoryOpsTest, NarrowingReadsWideAndWritesNarrow) {
  EXPECT_DOUBLE_EQ(quantisation_traffic(10.0, {}) / 1_B, 30);
  EXPECT_DOUBLE_EQ(quantisation_traffic(10.0, {2, 1, true, true}) / 1_B, 60);
}

TEST(GroupedGemmTest, FewTokensTouchFewExperts) {
  EXPECT_DOUBLE_EQ(touched_experts(8, 1), 1);
  EXPECT_NEAR(touched_experts(8, 8), 5.25, 0.01);  // 8 · (1 − (7/8)^8).
  EXPECT_NEAR(touched_experts(8, 1000), 8, 1e-6);
}

TEST(GroupedGemmTest, ReadsOnlyTheExpertsThatTokensReach) {
  KernelFit fit;
  fit.parameters = {
      .sustained = 1, .half = 0, .tile_cost = 0, .wave_paid = 0, .split = 1, .memory = 1};
  // One row: one expert of 4096 × 4096 × 2 B at 4 TB/s = 8.4 us, whatever the number of experts.
  const GroupedGemmCall one{.experts = 1, .rows = 1, .n = 4096, .k = 4096};
  GroupedGemmCall many = one;
  many.experts = 128;
  EXPECT_NEAR(estimate_grouped_gemm(many, toy_chip(), fit).duration /
                  estimate_grouped_gemm(one, toy_chip(), fit).duration,
              1.0, 0.01);
}

TEST(GroupedGemmTest, MoreRowsNeverTakeLessThanTheRoofline) {
  KernelFit fit;
  fit.parameters.fixed = 5_us;
  for (double rows = 1; rows < 1e6; rows *= 3) {
    const GroupedGemmCall call{.experts = 64, .rows = rows, .n = 2048, .k = 4096};
    EXPECT_GE(estimate_grouped_gemm(call, toy_chip(), fit).duration,
              grouped_gemm_roofline(call, toy_chip()).longer());
  }
}

TEST(SustainedClockTest, ALoadBelowTheLimitKeepsItsClock) {
  EXPECT_DOUBLE_EQ(sustained_clock({700_W, 100_W, 100_ms}, {500_W, 50_W}), 1.0);
}

TEST(SustainedClockTest, EightTimesTheAllowedPowerHalvesTheClock) {
  // 600 W are left; 4800 W at full clock fall with the cube: (1/2)³ · 4800 = 600.
  const PowerModel power{700_W, 100_W, 100_ms};
  EXPECT_DOUBLE_EQ(sustained_clock(power, {4800_W, Watts{}}), 0.5);
  EXPECT_DOUBLE_EQ(draw_from_share(power, Watts{}, 0.5).compute / 1_W, 4800);
}

TEST(SustainedClockTest, ABurstKeepsItsClockAndALongLoadSettles) {
  const PowerModel power{700_W, 100_W, 100_ms};
  const PowerDraw draw{4800_W, Watts{}};
  EXPECT_NEAR(mean_clock(power, draw, 0.8, 1_us), 0.8, 1e-4);
  EXPECT_NEAR(mean_clock(power, draw, 0.8, 1000_s), 0.5, 1e-3);
  EXPECT_GT(mean_clock(power, draw, 0.8, 100_ms), 0.5);
}

TEST(SustainedClockTest, AHigherLimitIsNeverSlower) {
  double before = 0.0;
  for (double watts = 200; watts <= 2000; watts += 50) {
    const double clock = sustained_clock({Watts::from_base(watts), 100_W, 100_ms}, {1500_W, 30_W});
    EXPECT_GE(clock, before);
    before = clock;
  }
}

}  // namespace
}  // namespace loadfactor::cost
