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
