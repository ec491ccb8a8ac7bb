#include "collective/estimate.h"

#include <array>

#include <gtest/gtest.h>

#include "collective/torus.h"

namespace loadfactor::collective {
namespace {

using namespace literals;
using catalog::Topology;

constexpr std::array kAll{Operation::kAllReduce, Operation::kReduceScatter,
                          Operation::kAllGather, Operation::kAllToAll,
                          Operation::kBroadcast, Operation::kSendReceive};

// 400 GB/s per rank, no start, all of the rate: times can be worked out in the head.
Domain plain_domain(Topology topology = Topology::kSwitch) {
  Domain domain;
  domain.topology = topology;
  domain.size = 8;
  domain.link = 400_GBps;
  domain.ring.fill({.low = 1.0, .fraction = 1.0});
  return domain;
}

// 40 GB/s per rank.
Bus plain_bus() {
  Bus bus;
  bus.link = 40_GBps;
  bus.ring.fill({.low = 1.0, .fraction = 1.0});
  return bus;
}

Domain usual_domain() {
  Domain domain = plain_domain();
  domain.ring.fill(
      {.start = 5_us, .per_rank = 1_us, .extra = 15_us, .low = 0.3, .fraction = 0.8, .loss = 0.5});
  domain.ring[0].per_rank = 2_us;
  return domain;
}

Network two_tiers() {
  Network network{.domain = usual_domain()};
  network.fabric = Fabric{.node_rate = 400_GBps, .node_ranks = 8, .start = 20_us, .latency = 8_us};
  return network;
}

TEST(CollectiveTest, ARingPassesTwiceAllButItsOwnShare) {
  // 2 · 3/4 · 400 MB / 400 GB/s = 1.5 ms.
  const auto time = estimate_inside(Operation::kAllReduce, 400_MB, 4, plain_domain());
  EXPECT_NEAR(time.duration / 1_ms, 1.5, 1e-9);
  EXPECT_EQ(time.algorithm, Algorithm::kRing);
}

TEST(CollectiveTest, AGroupOfOneTakesNoTime) {
  for (const Operation operation : kAll) {
    EXPECT_EQ(estimate(operation, 1_GB, {.ranks = 1}, two_tiers()).duration, Seconds{});
  }
}

TEST(CollectiveTest, AnAllReduceTakesNoLessThanAReduceScatter) {
  for (const int ranks : {2, 4, 8, 16, 64, 512}) {
    for (double bytes = 1e3; bytes < 1e10; bytes *= 10) {
      const Group group{.ranks = ranks};
      const Bytes size = Bytes::from_base(bytes);
      EXPECT_GE(estimate(Operation::kAllReduce, size, group, two_tiers()).duration,
                estimate(Operation::kReduceScatter, size, group, two_tiers()).duration);
    }
  }
}

TEST(CollectiveTest, MoreBytesNeverTakeLess) {
  for (const Operation operation : kAll) {
    for (const int ranks : {2, 8, 32}) {
      Seconds before;
      for (double bytes = 100; bytes < 1e10; bytes *= 2) {
        const Seconds now =
            estimate(operation, Bytes::from_base(bytes), {.ranks = ranks}, two_tiers()).duration;
        EXPECT_GE(now, before);
        before = now;
      }
    }
  }
}

TEST(CollectiveTest, AFasterLinkOrNicIsNeverSlower) {
  Network faster = two_tiers();
  faster.domain.link = 900_GBps;
  faster.fabric->node_rate = 800_GBps;
  for (const Operation operation : kAll) {
    for (const int ranks : {2, 8, 32, 256}) {
      const Group group{.ranks = ranks};
      EXPECT_LE(estimate(operation, 100_MB, group, faster).duration,
                estimate(operation, 100_MB, group, two_tiers()).duration);
    }
  }
}

TEST(CollectiveTest, AHierarchyBeatsOneRankPerNodeOnTheSlowTier) {
  // The same 32 ranks, spread one per node, with the whole node's NICs shared by eight groups.
  const Seconds near = estimate(Operation::kAllReduce, 1_GB, {.ranks = 32}, two_tiers()).duration;
  const Seconds far =
      estimate(Operation::kAllReduce, 1_GB, {.ranks = 32, .per_domain = 1}, two_tiers()).duration;
  EXPECT_LT(near * 2.0, far);
}

TEST(CollectiveTest, GroupsThatSendAtOnceShareTheNics) {
  const Group alone{.ranks = 4, .per_domain = 1, .senders = 1};
  const Group crowd{.ranks = 4, .per_domain = 1, .senders = 8};
  const double ratio = estimate(Operation::kAllReduce, 10_GB, crowd, two_tiers()).duration /
                       estimate(Operation::kAllReduce, 10_GB, alone, two_tiers()).duration;
  EXPECT_NEAR(ratio, 8.0, 0.1);
}

TEST(CollectiveTest, TreesWinSmallMessagesOverManyNodes) {
  const Group group{.ranks = 256, .per_domain = 1};
  const auto small = estimate(Operation::kAllReduce, 10_MB / 1000.0, group, two_tiers());
  EXPECT_EQ(small.algorithm, Algorithm::kTree);
  EXPECT_EQ(estimate(Operation::kAllReduce, 10_GB, group, two_tiers()).algorithm, Algorithm::kRing);
}

TEST(CollectiveTest, AMeshLeavesTheLinksOfAbsentPeersIdle) {
  // Two of eight: one of seven links.
  const auto pair =
      estimate_inside(Operation::kAllGather, 400_MB, 2, plain_domain(Topology::kMesh));
  EXPECT_NEAR(pair.duration / 1_ms, 0.5 * 7.0, 1e-9);
  const auto all = estimate_inside(Operation::kAllGather, 400_MB, 8, plain_domain(Topology::kMesh));
  EXPECT_NEAR(all.duration / 1_ms, 7.0 / 8.0, 1e-9);
}

TEST(CollectiveTest, BeyondABridgedPairTheHostBusDecides) {
  Domain bridge = plain_domain(Topology::kBridge);
  bridge.joined = 2;
  bridge.bus = plain_bus();
  EXPECT_NEAR(estimate_inside(Operation::kAllGather, 400_MB, 4, bridge).duration / 1_ms,
              0.75 * 10.0, 1e-9);
  EXPECT_NEAR(estimate_inside(Operation::kAllGather, 400_MB, 2, bridge).duration / 1_ms, 0.5 * 1.0,
              1e-9);
  EXPECT_TRUE(bridge.is_guessed(4));
  EXPECT_FALSE(bridge.is_guessed(2));
}

// Two accelerators behind a switch, four of a processor: a group of four keeps a quarter of the
// 40 GB/s, one of eight a twentieth.
TEST(CollectiveTest, AGroupThatLeavesItsSwitchOrItsProcessorKeepsWhatItsNodeSays) {
  Domain domain = plain_domain(Topology::kNone);
  domain.joined = 1;
  domain.bus = plain_bus();
  domain.bus->per_switch = 2;
  domain.bus->per_socket = 4;
  domain.bus->beyond_switch = 0.25;
  domain.bus->beyond_socket = 0.05;
  const auto time = [&](int ranks) {
    return estimate_inside(Operation::kAllReduce, 400_MB, ranks, domain).duration / 1_ms;
  };
  EXPECT_NEAR(time(2), 1.0 * 10.0, 1e-9);
  EXPECT_NEAR(time(4), 1.5 * 40.0, 1e-9);
  EXPECT_NEAR(time(8), 1.75 * 200.0, 1e-9);
  EXPECT_FALSE(domain.is_guessed(8));
}

// Sums in a switch and kernels of an engine's own are for links, not for a bus.
TEST(CollectiveTest, OverABusSumsAreTheLibrarys) {
  Domain domain = plain_domain(Topology::kBridge);
  domain.joined = 2;
  domain.bus = plain_bus();
  domain.in_switch = domain.one_shot = Protocol{.low = 1.0, .fraction = 1.0};
  EXPECT_EQ(estimate_inside(Operation::kAllReduce, 1_MB / 1000.0, 8, domain).algorithm,
            Algorithm::kRing);
}

TEST(CollectiveTest, SumsInTheSwitchAreTakenWhereTheyAreFaster) {
  Domain domain = usual_domain();
  domain.in_switch = Protocol{.start = 15_us, .extra = 1_us, .low = 0.3, .fraction = 0.9};
  EXPECT_EQ(estimate_inside(Operation::kAllReduce, 1_GB, 8, domain).algorithm,
            Algorithm::kInSwitch);
  domain.one_shot = Protocol{.start = 2_us, .low = 0.2, .fraction = 0.3};
  EXPECT_EQ(estimate_inside(Operation::kAllReduce, 1_MB / 100.0, 8, domain).algorithm,
            Algorithm::kOneShot);
}

TEST(CollectiveTest, ShortSumsAreReadInOneShotAndLongerOnesInTwo) {
  Domain domain = plain_domain();
  domain.ring.fill({.start = 50_us, .low = 1.0, .fraction = 1.0});
  domain.one_shot = Protocol{.start = 2_us, .low = 1.0, .fraction = 1.0};
  domain.two_shot = Protocol{.start = 10_us, .low = 1.0, .fraction = 1.0};
  // All seven buffers of 100 kB: 2 us + 700 kB / 400 GB/s.
  const auto small = estimate_inside(Operation::kAllReduce, 1_MB / 10.0, 8, domain);
  EXPECT_EQ(small.algorithm, Algorithm::kOneShot);
  EXPECT_NEAR(small.duration / 1_us, 2 + 1.75, 1e-9);
  // Seven buffers of 1 MB would take 19.5 us; twice seven eighths take 10 us + 1.75 MB / 400 GB/s.
  const auto longer = estimate_inside(Operation::kAllReduce, 1_MB, 8, domain);
  EXPECT_EQ(longer.algorithm, Algorithm::kTwoShot);
  EXPECT_NEAR(longer.duration / 1_us, 10 + 4.375, 1e-9);
}

TEST(CollectiveTest, OversubscriptionCostsOnlyAboveTheLeaf) {
  Network network = two_tiers();
  network.fabric->oversubscription = 4.0;
  network.fabric->leaf_nodes = 4;
  const Group inside{.ranks = 4, .per_domain = 1};
  const Group beyond{.ranks = 8, .per_domain = 1};
  EXPECT_EQ(estimate(Operation::kAllToAll, 1_GB, inside, network).duration,
            estimate(Operation::kAllToAll, 1_GB, inside, two_tiers()).duration);
  // Four of eight ranks are beyond the leaf: 4 · 4/8 of the bytes against 7/8.
  EXPECT_NEAR(estimate(Operation::kAllToAll, 1_GB, beyond, network).duration /
                  estimate(Operation::kAllToAll, 1_GB, beyond, two_tiers()).duration,
              16.0 / 7.0, 0.05);
}

TEST(CollectiveTest, ARingLeavesALeafAtOneNodeOnly) {
  Network network = two_tiers();
  network.fabric->leaf_nodes = 4;
  const Group group{.ranks = 8, .per_domain = 1};
  const auto at = [&](double ratio) {
    network.fabric->oversubscription = ratio;
    return estimate(Operation::kAllGather, 1_GB, group, network).duration;
  };
  EXPECT_EQ(at(4.0), at(1.0));  // The uplinks of four nodes at 4:1 carry one node's bytes.
  EXPECT_NEAR(at(8.0) / at(1.0), 2.0, 0.05);
}

TEST(CollectiveTest, AnAllToAllAcrossNodesIsBoundByItsNic) {
  // 32 ranks, 24 of them elsewhere: 0.75 GB at 400/8 · 0.8 = 40 GB/s is 18.75 ms.
  const auto time = estimate(Operation::kAllToAll, 1_GB, {.ranks = 32}, two_tiers());
  EXPECT_NEAR(time.duration / 1_ms, 18.75, 0.1);
}

TEST(TorusTest, SidesMultiplyToTheRanks) {
  for (const int ranks : {1, 2, 8, 16, 64, 256, 6, 12}) {
    const auto sides = torus_sides(ranks, 3);
    EXPECT_EQ(sides[0] * sides[1] * sides[2], ranks);
  }
  EXPECT_EQ(torus_sides(64, 3), (std::array{4, 4, 4}));
  EXPECT_EQ(torus_sides(16, 2), (std::array{4, 4, 1}));
}

TEST(TorusTest, MoreAxesCarryMore) {
  Domain torus = plain_domain(Topology::kTorus3d);
  // Two ranks have one link of an axis' two: 2 · 1/2 · 400 MB at 67 GB/s.
  EXPECT_NEAR(estimate_inside(Operation::kAllReduce, 400_MB, 2, torus).duration / 1_ms, 6.0, 1e-9);
  // 64 ranks use all three: 2 · 63/64 ms.
  EXPECT_NEAR(estimate_inside(Operation::kAllReduce, 400_MB, 64, torus).duration / 1_ms,
              2.0 * 63 / 64, 1e-9);
}

}  // namespace
}  // namespace loadfactor::collective
