// Power, racks, networks, hosts and caps: examples to check in the head, and laws.
#include <array>

#include <gtest/gtest.h>

#include "facility/host.h"
#include "facility/network.h"
#include "facility/power.h"
#include "facility/power_cap.h"
#include "facility/racks.h"

namespace loadfactor::facility {
namespace {

using namespace loadfactor::literals;

const std::vector<Cooling> kWays{{"air-perimeter", 15_kW, 1.5, false},
                                 {"air-contained-aisle", 30_kW, 1.4, false},
                                 {"direct-liquid", 130_kW, 1.15, true}};

TEST(PowerTest, TenThousandChipsOfSevenHundredWattsAreSevenMegawatts) {
  const auto chips = cluster_power({.rated = 700_W}, 10000, 1.3);
  EXPECT_DOUBLE_EQ(chips.rated / 1_kW, 7000);
  EXPECT_DOUBLE_EQ(chips.at_grid / 1_kW, 9100);
}

TEST(PowerTest, EnergyLiesBetweenIdleAndTypical) {
  const auto power = cluster_power({10.2_kW, 8.4_kW, 1.8_kW}, 10, 1.2);
  EXPECT_DOUBLE_EQ(mean_power(power, 0) / 1_kW, 18);
  EXPECT_DOUBLE_EQ(mean_power(power, 1) / 1_kW, 84);
  EXPECT_DOUBLE_EQ(mean_power(power, 0.5) / 1_kW, 51);
  EXPECT_DOUBLE_EQ(site_energy(100_kW, 1.2, 10_hours) / 1200_kWh, 1.0);
  EXPECT_DOUBLE_EQ(carbon_kilograms(1000_kWh, 400), 400);
}

TEST(RacksTest, TheCheapestLegalCoolingIsTaken) {
  RackQuestion ask{.node_rated = 10.2_kW, .node_units = 8, .nodes = 100, .rack_units = 42};
  const SpacePrices prices{.space = 125_USD / (1_kW * 730_hours),
                           .dense_premium = 0.25,
                           .dense_above = 50_kW,
                           .electricity = 0.1 / 1_kWh * 1_USD,
                           .electrical_load = 0.76};
  const auto plans = plan_racks(ask, kWays, prices);
  EXPECT_EQ(plans[0].nodes_per_rack, 1);
  EXPECT_EQ(plans[1].nodes_per_rack, 2);
  EXPECT_EQ(plans[2].nodes_per_rack, 5);  // Height stops it: 42 / 8.
  EXPECT_EQ(plans[2].racks, 20);
  EXPECT_GT(plans[2].rack_power, 50_kW);
  EXPECT_EQ(cheapest_legal(plans)->cooling, "air-contained-aisle");
  ask.needs_liquid = true;
  EXPECT_EQ(cheapest_legal(plan_racks(ask, kWays, prices))->cooling, "direct-liquid");
}

TEST(RacksTest, SpaceIsPaidByTheRatingAndEnergyByTheLoadAndTheCooling) {
  const RackQuestion ask{.node_rated = 10_kW, .nodes = 6};
  const SpacePrices prices{.space = 0.2 / 1_kWh * 1_USD,
                           .dense_premium = 0.25,
                           .dense_above = 50_kW,
                           .electricity = 0.1 / 1_kWh * 1_USD,
                           .electrical_load = 0.5};
  const auto plans = plan_racks(ask, kWays, prices);
  EXPECT_EQ(plans[1].racks, 2);  // Three nodes fill its 30 kW.
  EXPECT_DOUBLE_EQ(plans[1].rack_power / 1_kW, 30);
  EXPECT_DOUBLE_EQ(plans[1].site_power / 1_kW, 84);
  EXPECT_DOUBLE_EQ(plans[1].cost * 1_hours / 1_USD, 60 * 0.2 + 60 * 0.5 * 1.4 * 0.1);
  // All six in one rack of 60 kW: dense, so that its space costs a quarter more.
  EXPECT_EQ(plans[2].racks, 1);
  EXPECT_DOUBLE_EQ(plans[2].cost * 1_hours / 1_USD, 60 * 0.2 * 1.25 + 60 * 0.5 * 1.15 * 0.1);
  EXPECT_DOUBLE_EQ(floor_area(2, 2.8), 5.6);
  EXPECT_DOUBLE_EQ(energy_bill(50_kWh, prices.electricity) / 1_USD, 5);
}

TEST(RacksTest, ANodeThatExceedsEveryRackIsRefusedWithTheReason) {
  const auto plans = plan_racks({.node_rated = 10.2_kW, .nodes = 1, .site_limit = 8_kW}, kWays, {});
  EXPECT_FALSE(cheapest_legal(plans).has_value());
  EXPECT_EQ(plans[2].obstacle, RackObstacle::kPower);
  EXPECT_DOUBLE_EQ(plans[2].rack_limit.base(), 8e3);
}

TEST(NetworkTest, OversubscriptionSavesSwitches) {
  // 3:1 of 64 ports: 48 down, 16 up. 22 leaves, 6 spines.
  const auto thin = *count_network({.endpoints = 1024, .oversubscription = 3});
  EXPECT_EQ(thin.leaves, 22);
  EXPECT_EQ(thin.spines, 6);
  EXPECT_EQ(thin.failure_domain, 48);
  EXPECT_EQ(count_network({.endpoints = 64})->switches(), 1);
  EXPECT_EQ(count_network({.topology = Topology::kRailOptimised, .endpoints = 512, .rails = 8})
                ->switches(),
            8);
}

TEST(NetworkTest, TheThinTierBeginsAboveALeafOrAGroup) {
  NetworkQuestion ask{.topology = Topology::kFatTree, .radix = 64};
  EXPECT_EQ(thin_tier(ask).endpoints, 0) << "one to one is nowhere thin";
  ask.oversubscription = 3;
  EXPECT_EQ(thin_tier(ask).endpoints, 48);
  EXPECT_DOUBLE_EQ(thin_tier(ask).oversubscription, 3);
  ask.topology = Topology::kRailOptimised;
  ask.rails = 8;
  EXPECT_EQ(thin_tier(ask).endpoints, 8 * 48) << "a leaf of each rail serves the same nodes";
  ask = {.topology = Topology::kDragonfly, .radix = 63};
  EXPECT_EQ(thin_tier(ask).endpoints, 2 * 16 * 16);
}

TEST(NetworkTest, MoreEndpointsNeverNeedFewerSwitchesOrCables) {
  for (const auto& row : topologies()) {
    std::int64_t switches = 0;
    std::int64_t cables = 0;
    for (std::int64_t n = 8; n <= 16384; n += 8) {
      const auto network = count_network({.topology = row.topology, .endpoints = n, .rails = 8});
      if (!network) break;
      EXPECT_GE(network->switches(), switches) << row.name << " " << n;
      EXPECT_GE(network->cables, cables) << row.name << " " << n;
      EXPECT_GE(network->cables, n);
      switches = network->switches();
      cables = network->cables;
    }
    EXPECT_GT(switches, 0) << row.name;
  }
}

TEST(NetworkTest, ATopologyThatIsFullSaysSo) {
  EXPECT_FALSE(count_network({.endpoints = 70'000}).has_value());
  EXPECT_TRUE(count_network({.endpoints = 65'536}).has_value());
}

TEST(NetworkTest, OversubscriptionSavesSwitchesInThreeLevelsToo) {
  // 3:1 of 64 ports: 48 down, 16 up. 683 leaves, 10,928 uplinks, 342 aggregation, 171 core.
  const auto thin = *count_network({.endpoints = 32'768, .oversubscription = 3});
  EXPECT_EQ(thin.levels, 3);
  EXPECT_EQ(thin.leaves, 683);
  EXPECT_EQ(thin.spines, 342 + 171);
  EXPECT_EQ(thin.cables, 32'768 + 2 * 10'928);
  EXPECT_EQ(thin.optics(), 2 * thin.cables);
  EXPECT_DOUBLE_EQ(thin.oversubscription, 3);
  EXPECT_EQ(count_network({.endpoints = 32'768})->switches(), 2560);
}

TEST(NetworkTest, ManyRailsTakeAThirdLevelInsteadOfASpineThatCannotReachEveryLeaf) {
  const NetworkQuestion ask{
      .topology = Topology::kRailOptimised, .endpoints = 8 * 4096, .rails = 8};
  const auto rails = *count_network(ask);
  EXPECT_EQ(rails.leaves, 1024);
  EXPECT_EQ(rails.levels, 3);
  EXPECT_EQ(rails.hops, 5);
}

TEST(NetworkTest, ABalancedDragonflyHasThePublishedCounts) {
  // Four endpoints a router, eight routers a group, each router four links to other groups: Kim,
  // Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", 2008.
  const Dragonfly whole = balanced_dragonfly(4);
  EXPECT_EQ(whole.groups, 33);
  EXPECT_EQ(whole.routers, 264);
  EXPECT_EQ(whole.endpoints, 1056);
  EXPECT_EQ(whole.cables, 1056 + 33 * 28 + 33 * 16);
}

TEST(NetworkTest, ADragonflyTakesAsManyRoutersAndGroupsAsItNeeds) {
  // Fifteen ports: four endpoints, seven other routers of the group, four other groups.
  const auto of = [](std::int64_t endpoints) {
    return count_network({.topology = Topology::kDragonfly, .endpoints = endpoints, .radix = 15});
  };
  const auto few = *of(3);
  EXPECT_EQ(few.leaves, 1);
  EXPECT_EQ(few.hops, 1);
  EXPECT_EQ(few.failure_domain, 3);
  EXPECT_EQ(few.max_endpoints, 1056);
  const auto group = *of(32);
  EXPECT_EQ(group.levels, 1);
  EXPECT_EQ(group.leaves, 8);
  EXPECT_EQ(group.cables, 32 + 28);
  EXPECT_EQ(group.hops, 2);
  const auto groups = *of(100);
  EXPECT_EQ(groups.levels, 2);
  EXPECT_EQ(groups.groups, 4);
  EXPECT_EQ(groups.leaves, 32);
  EXPECT_EQ(groups.cables, 100 + 4 * 28 + 4 * 16);
  EXPECT_EQ(groups.failure_domain, 4);
  EXPECT_TRUE(of(1056).has_value());
  EXPECT_FALSE(of(1057).has_value());
}

TEST(NetworkTest, ASpineLayerReachesAsManyLeavesAsASpineHasPorts) {
  // 64 ports, 32 of them down: 64 leaves hold 2,048 endpoints, one more takes a third level.
  const auto full = *count_network({.endpoints = 2048});
  EXPECT_EQ(full.levels, 2);
  EXPECT_EQ(full.leaves, 64);
  EXPECT_EQ(full.spines, 32);
  EXPECT_EQ(full.cables, 2 * 2048);
  EXPECT_EQ(full.max_endpoints, 2048);
  const auto beyond = *count_network({.endpoints = 2049});
  EXPECT_EQ(beyond.levels, 3);
  EXPECT_EQ(beyond.max_endpoints, 65'536);
}

TEST(NetworkTest, ALeafKeepsAPortUpHoweverThinTheNetworkIs) {
  const auto thin = *count_network({.endpoints = 1024, .oversubscription = 1e12});
  EXPECT_DOUBLE_EQ(thin.oversubscription, 63);
  EXPECT_EQ(thin.cables, 1024 + thin.leaves);
}

TEST(NetworkTest, RailsAreCountedNodeByNode) {
  // 128 nodes of eight NICs: a leaf holds one rail of 32 nodes.
  const auto rails =
      *count_network({.topology = Topology::kRailOptimised, .endpoints = 1024, .rails = 8});
  EXPECT_EQ(rails.leaves, 32);
  EXPECT_EQ(rails.cables, 2 * 1024);
  const auto one =
      *count_network({.topology = Topology::kRailOptimised, .endpoints = 512, .rails = 8});
  EXPECT_EQ(one.max_endpoints, 8 * 64);
  EXPECT_EQ(one.failure_domain, 64);
  const auto planes =
      *count_network({.topology = Topology::kRailOnly, .endpoints = 1024, .rails = 8});
  EXPECT_EQ(planes.leaves, 8 * 4);
  EXPECT_EQ(planes.spines, 8 * 2);
  EXPECT_EQ(planes.cables, 8 * 256);
  EXPECT_EQ(planes.max_endpoints, 8 * 2048);
}

TEST(NetworkTest, APriceIsItsSwitchesAndLinksAndItsPowerHasTwoOpticsALink) {
  const Network network{.leaves = 3, .spines = 2, .cables = 10};
  const NetworkPrices prices{.per_switch = Dollars::from_base(1000),
                             .per_link = Dollars::from_base(7),
                             .switch_power = 500_W,
                             .optic_power = 15_W};
  EXPECT_DOUBLE_EQ(network_price(network, prices).base(), 5 * 1000 + 10 * 7);
  EXPECT_DOUBLE_EQ(network_power(network, prices) / 1_W, 5 * 500 + 20 * 15);
}

TEST(NetworkTest, MoreEndpointsNeverTakeFewerSwitchesOrCables) {
  for (const auto& row : topologies()) {
    for (const double thin : {1.0, 2.0, 3.0}) {
      std::int64_t switches = 0;
      std::int64_t cables = 0;
      for (std::int64_t endpoints = 8; endpoints <= 65'536; endpoints = endpoints * 5 / 4 + 8) {
        const auto network = count_network({.topology = row.topology,
                                            .endpoints = endpoints,
                                            .rails = 8,
                                            .oversubscription = thin});
        if (!network) break;
        EXPECT_GE(network->switches(), switches) << row.name << " " << endpoints << " " << thin;
        EXPECT_GE(network->cables, cables) << row.name << " " << endpoints << " " << thin;
        switches = network->switches();
        cables = network->cables;
      }
    }
  }
}

TEST(HostTest, MemoryFollowsTheLargerRule) {
  const HostRules rules{
      .cores_per_gpu = 8, .memory_over_gpus = 2, .memory_over_weights = 2, .nics = 9};
  HostQuestion ask{.gpus = 8, .gpu_memory = 80_GB, .parameters = 140_GB, .nodes = 1};
  EXPECT_DOUBLE_EQ(size_host(ask, rules).memory / 1_GB, 1280);
  ask.parameters = 2000_GB;
  EXPECT_DOUBLE_EQ(size_host(ask, rules).memory / 1_GB, 4000);
  EXPECT_EQ(size_host(ask, rules).cores, 64);
  EXPECT_EQ(size_host(ask, rules).nics, 9);
}

TEST(HostTest, DrivesCarryTheCheckpointInTime) {
  // 1 TB over 10 nodes in 10 s: 10 GB/s per node, two drives of 7 GB/s.
  const HostSize size = size_host({.nodes = 10,
                                   .checkpoint = 1_TB,
                                   .checkpoint_within = 10_s,
                                   .drive = 7_GBps,
                                   .checkpoints_kept = 2,
                                   .tokens = Tokens::from_base(1e6) / 1_s,
                                   .per_token = Bytes::from_base(4)},
                                  {});
  EXPECT_DOUBLE_EQ(size.checkpoint_bandwidth / 1_GBps, 10);
  EXPECT_EQ(size.drives, 2);
  EXPECT_DOUBLE_EQ(size.nvme / 1_GB, 200);
  EXPECT_DOUBLE_EQ(size.loading / 1_GBps, 0.004);
}

TEST(PowerCapTest, ACapCostsLessRateThanPowerAndAFitFindsItsExponent) {
  const CapTerms terms{.uncapped = 700_W, .idle = 100_W};
  const CappedPoint capped = at_cap(terms, 400_W);
  EXPECT_NEAR(capped.rate, 0.7937, 1e-4);  // (300/600)^(1/3).
  EXPECT_GT(capped.work_per_joule, 1.0);
  double rate = 0;
  for (double watts = 150; watts <= 700; watts += 50) {
    const double now = at_cap(terms, Watts::from_base(watts)).rate;
    EXPECT_GT(now, rate);
    rate = now;
  }
  EXPECT_DOUBLE_EQ(rate, 1.0);
}

TEST(HostTest, ACheckpointWithoutATimeAsksForNoBandwidth) {
  const HostSize size = size_host({.gpus = 8, .checkpoint = 1_TB, .drive = 5_GBps}, {});
  EXPECT_DOUBLE_EQ(size.checkpoint_bandwidth.base(), 0);
  EXPECT_EQ(size.drives, 1);
}

TEST(PowerCapTest, WorkOfAJouleCountsTheRestOfTheNode) {
  const CapTerms terms{.uncapped = 700_W, .idle = 100_W, .exponent = 1, .rest_of_node = 300_W};
  const CappedPoint capped = at_cap(terms, 400_W);
  EXPECT_DOUBLE_EQ(capped.rate, 0.5);
  EXPECT_DOUBLE_EQ(capped.power / 1_W, 700);
  EXPECT_DOUBLE_EQ(capped.work_per_joule, 0.5 / (700.0 / 1000.0));
}

TEST(PowerCapTest, TheMostEfficientCapIsInsideWhereTheHostDrawsToo) {
  const CapTerms terms{.uncapped = 700_W, .idle = 100_W, .rest_of_node = 500_W};
  std::vector<Watts> caps;
  for (double watts = 110; watts <= 700; watts += 10) caps.push_back(Watts::from_base(watts));
  CappedPoint best;
  best.work_per_joule = 0;
  for (const Watts cap : caps) {
    const CappedPoint point = at_cap(terms, cap);
    if (point.work_per_joule > best.work_per_joule) best = point;
  }
  EXPECT_GT(best.cap, 200_W);
  EXPECT_LT(best.cap, 700_W);
}

}  // namespace
}  // namespace loadfactor::facility
