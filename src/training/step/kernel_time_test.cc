#include "training/step/kernel_time.h"

#include "training/memory/mixer_work.h"
#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

// 100 TFLOP/s, 1 TB/s, ten processors, tiles of 100 × 100, nothing lost.
struct KernelTime : ::testing::Test {
  KernelFamily family;
  Machine machine;
  Constants constants;
  StackTraits stack;
  KernelContext context;

  KernelTime() {
    family.tiles[0] = {100, 100, 1.0};
    family.num_tiles = 1;
    family.wave_share = 1.0;
    machine.family = &family;
    machine.units = 10;
    machine.gemm.fill(FlopsPerSecond::from_base(100e12));
    machine.attention = FlopsPerSecond::from_base(100e12);
    machine.memory = BytesPerSecond::from_base(1e12);
    constants[Constant::kAttentionBackward] = 1.0;
    context.machine = &machine;
    context.constants = &constants;
    context.stack = &stack;
  }
};

TEST_F(KernelTime, ALargeProductRunsAtTheSustainedRate) {
  // 2 · 10^12 operations: 20 ms.
  EXPECT_NEAR(gemm_time(context, {10000, 10000, 10000}, Width::k16).base(), 0.02, 1e-9);
}

TEST_F(KernelTime, APartlyEmptyLastWaveIsPaid) {
  machine.memory = BytesPerSecond::from_base(100e12);
  const Seconds ten = gemm_time(context, {1000, 100, 10000}, Width::k16);
  const Seconds eleven = gemm_time(context, {1100, 100, 10000}, Width::k16);
  EXPECT_DOUBLE_EQ(eleven / ten, 2.0);
}

TEST_F(KernelTime, ASmallProductIsBoundByMemory) {
  // One row by a 10^4 × 10^4 matrix: 200 MB to read, 0.2 ms.
  EXPECT_NEAR(gemm_time(context, {1, 10000, 10000}, Width::k16).base(), 2e-4, 1e-5);
}

TEST_F(KernelTime, ALinearLayerCostsThreeProductsOrTwoWhenFrozen) {
  const workload::ProductShape shape{10000, 10000, 10000};
  const PassTimes all = linear_time(context, shape, Width::k16);
  EXPECT_NEAR(all.backward / all.forward, 2.0, 1e-9);
  context.frozen = true;
  EXPECT_NEAR(linear_time(context, shape, Width::k16).backward.base(), all.forward.base(), 1e-12);
}

// A cast by tensor moves 2 + 1 + 1 bytes of each element, one by rows and columns twice 2 + 2 + 1:
// six more of 10^4 · 10^4 elements at 1 TB/s are 0.6 ms, forward and backward.
TEST_F(KernelTime, ScalesOfRowsAreFoundByPassesOfTheirOwn) {
  const workload::ProductShape shape{10000, 10000, 10000};
  constants[Constant::kQuantise] = 1.0;
  const PassTimes by_tensor = linear_time(context, shape, Width::k8);
  context.precision.row_wise = true;
  const PassTimes by_row = linear_time(context, shape, Width::k8);
  EXPECT_NEAR((by_row.forward - by_tensor.forward).base(), 6e-4, 1e-9);
  EXPECT_NEAR((by_row.backward - by_tensor.backward).base(), 6e-4, 1e-9);
  const PassTimes wide = linear_time(context, shape, Width::k16);
  EXPECT_NEAR((by_tensor.forward - wide.forward).base(), 4e-4, 1e-9);
}

TEST_F(KernelTime, AttentionBackwardIsTwoAndAHalfTimesForward) {
  const PassTimes time = attention_time(context, {1000, 500, 1000, 10, 128, 128});
  EXPECT_NEAR(time.backward / time.forward, 2.5, 1e-9);
  // 2 · 1000 · 500 · 10 · 256 operations at 100 TFLOP/s.
  EXPECT_NEAR(time.forward.base(), 2.56e9 / 100e12, 1e-12);
}

TEST_F(KernelTime, AWindowBoundsTheKeys) {
  EXPECT_DOUBLE_EQ(mean_keys(1000, 0), 500);
  EXPECT_DOUBLE_EQ(mean_keys(1000, 2000), 500);
  EXPECT_DOUBLE_EQ(mean_keys(1000, 100), 95);  // 100 but for the ramp of the first hundred.
}

}  // namespace
}  // namespace loadfactor::training
