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

// A bus of 20 GB/s, of which groups keep a half beyond a switch of two and a tenth beyond a
// processor of four.
TEST_F(CollectiveTime, AGroupOnABusIsAsSlowAsWhatItLeaves) {
  machine.bus = HostBus{.link = BytesPerSecond::from_base(20e9)};
  EXPECT_DOUBLE_EQ(ring(8, {8, 1}), 7 / 20.0);  // Nobody says how they lie: all are neighbours.
  machine.bus->lies = {.per_switch = 2,
                       .per_socket = 4,
                       .beyond_switch = 0.5,
                       .beyond_socket = 0.1,
                       .provenance = {}};
  EXPECT_DOUBLE_EQ(ring(8, {2, 1}), 4 / 20.0);
  EXPECT_DOUBLE_EQ(ring(8, {4, 1}), 6 / 10.0);
  EXPECT_DOUBLE_EQ(ring(8, {8, 1}), 7 / 2.0);
  EXPECT_DOUBLE_EQ(ring(8, {2, 4}), 4 / 2.0);  // Two ranks on two processors.
}

TEST_F(CollectiveTime, LinksOfTheirOwnTakePairsOffTheBus) {
  machine.bus = HostBus{.link = BytesPerSecond::from_base(20e9), .joined = 2};
  EXPECT_DOUBLE_EQ(ring(8, {2, 1}), 4 / 100.0);
  EXPECT_DOUBLE_EQ(ring(8, {2, 2}), 4 / 20.0);  // Of two pairs the first cards.
  EXPECT_DOUBLE_EQ(ring(8, {8, 1}), 7 / 20.0);
}

// 30 % of the link, and groups of n gain 2 / n: a pair 60 %, eight 37.5 %.
TEST_F(CollectiveTime, LargeGroupsReachLessOfABus) {
  machine.bus = HostBus{.link = BytesPerSecond::from_base(100e9), .fraction = 0.3, .loss = -2.0};
  EXPECT_DOUBLE_EQ(ring(8, {2, 1}), 4 / 60.0);
  EXPECT_DOUBLE_EQ(ring(8, {8, 1}), 7 / 37.5);
}

TEST_F(CollectiveTime, RanksOfSeveralCardsSeeASmallerHost) {
  machine.bus = HostBus{.link = BytesPerSecond::from_base(20e9), .joined = 2};
  machine.bus->lies = {.per_switch = 4,
                       .per_socket = 8,
                       .beyond_switch = 0.5,
                       .beyond_socket = 0.1,
                       .provenance = {}};
  const Machine seen = machine.seen_every(4);
  EXPECT_EQ(seen.domain, 2);
  EXPECT_EQ(seen.bus->joined, 1);
  EXPECT_EQ(seen.bus->lies.per_switch, 1);
  EXPECT_EQ(seen.bus->lies.per_socket, 2);
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
