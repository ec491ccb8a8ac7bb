#include "training/step/collective_time.h"

#include "training/step/step_fixture.h"

namespace loadfactor::training {
namespace {

// 100 GB/s inside a domain of eight, 10 GB/s outside, no start-up, nothing lost.
struct CollectiveTime : ::testing::Test {
  KernelFamily family;
  Machine machine;
  Constants constants;

  CollectiveTime() {
    machine.family = &family;
    machine.domain = 8;
    machine.scale_up = BytesPerSecond::from_base(100e9);
    machine.scale_out = BytesPerSecond::from_base(10e9);
    constants[Constant::kNicEfficiency] = 1.0;
    constants[Constant::kAllToAllUp] = 1.0;
    constants[Constant::kAllToAllOut] = 1.0;
  }
  double ring(double gigabytes, RankGroup group) const {
    return ring_time(machine, constants, Bytes::from_base(gigabytes * 1e9), group).base();
  }
};

TEST_F(CollectiveTime, OneRankTakesNoTime) {
  EXPECT_EQ(ring(1, {1, 1}), 0.0);
}

TEST_F(CollectiveTime, InsideADomainEveryRankSendsAllButItsOwnShare) {
  EXPECT_DOUBLE_EQ(ring(8, {8, 1}), 0.07);  // 7 GB at 100 GB/s.
}

TEST_F(CollectiveTime, BetweenDomainsTheRanksOfADomainShareTheTransfer) {
  EXPECT_DOUBLE_EQ(ring(16, {16, 1}), 0.1875);  // 15 GB over the eight NICs of a domain.
  EXPECT_DOUBLE_EQ(ring(16, {16, 8}), 1.5);     // One rank per domain: 15 GB at 10 GB/s.
}

TEST_F(CollectiveTime, TokensTravelOncePerRankTheyVisit) {
  // Eight of eight experts on two ranks: every token visits both, so two copies, not eight.
  const Seconds time = all_to_all_time(machine, constants, Bytes::from_base(8e9), 2, 8);
  EXPECT_NEAR(time.base(), 0.01, 1e-4);  // (2 / 8) · 8 GB · 1/2 at 100 GB/s, nearly.
}

TEST_F(CollectiveTime, MoreRanksAreNeverFaster) {
  double last = 0;
  for (const int size : {1, 2, 4, 8, 16, 32, 64, 128}) {
    const double time = ring(1, {size, 1});
    EXPECT_GE(time, last);
    last = time;
  }
}

}  // namespace
}  // namespace loadfactor::training
