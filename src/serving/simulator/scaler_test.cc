#include "serving/simulator/scaler.h"

#include <gtest/gtest.h>

#include "serving/simulator/transfer_links.h"

namespace loadfactor::serving {
namespace {

constexpr Ticks kS = sim::kSecond;

TEST(ScalerTest, ATargetIsReachedInOneDecision) {
  Scaler scaler({.scaling = Scaling::kTarget, .max_replicas = 10, .target_load = 10});
  EXPECT_EQ(scaler.decide(15 * kS, 2, 41), 5);  // 41 requests at 10 each.
}

TEST(ScalerTest, WithinTheToleranceNothingChanges) {
  Scaler scaler({.scaling = Scaling::kTarget, .max_replicas = 10, .target_load = 10});
  EXPECT_EQ(scaler.decide(15 * kS, 2, 22), 2);  // 10 % above.
  EXPECT_EQ(scaler.decide(30 * kS, 2, 23), 3);
}

TEST(ScalerTest, SeesTheLoadLate) {
  Scaler scaler(
      {.scaling = Scaling::kTarget, .max_replicas = 10, .scrape_delay = 20 * kS, .target_load = 1});
  EXPECT_EQ(scaler.decide(15 * kS, 1, 8), 1);  // Nothing is old enough.
  EXPECT_EQ(scaler.decide(30 * kS, 1, 4), 1);
  EXPECT_EQ(scaler.decide(45 * kS, 1, 4), 8);  // The load of 15 s.
}

TEST(ScalerTest, ScalingDownWaitsForTheCooldown) {
  Scaler scaler({.scaling = Scaling::kThreshold,
                 .min_replicas = 0,
                 .max_replicas = 4,
                 .scale_up_load = 5,
                 .scale_down_load = 2,
                 .cooldown = 60 * kS});
  EXPECT_EQ(scaler.decide(100 * kS, 1, 6), 2);
  EXPECT_EQ(scaler.decide(130 * kS, 2, 0), 2);
  EXPECT_EQ(scaler.decide(160 * kS, 2, 0), 1);
  EXPECT_EQ(scaler.decide(260 * kS, 1, 1), 1);  // It goes to zero only when empty.
  EXPECT_EQ(scaler.decide(290 * kS, 1, 0), 0);
}

TEST(TransferLinksTest, ASharedLinkCarriesOneAfterTheOther) {
  const TransferRules rules{.latency = 5, .per_block_replica_link = 1, .per_block_shared_link = 2};
  TransferLinks links(4);
  EXPECT_EQ(links.send(100, 0, 2, 10, rules), 100 + 5 + 20);
  EXPECT_EQ(links.send(100, 1, 3, 10, rules), 120 + 5 + 20);  // Waits for the shared link only.
}

TEST(TransferLinksTest, AReplicasOwnLinkBindsWhereItIsSlower) {
  const TransferRules rules{.latency = 0, .per_block_replica_link = 3, .per_block_shared_link = 1};
  TransferLinks links(4);
  EXPECT_EQ(links.send(0, 0, 2, 10, rules), 30);
  EXPECT_EQ(links.send(0, 1, 3, 10, rules), 10 + 30);
  EXPECT_EQ(links.send(0, 0, 3, 10, rules), 40 + 30);  // Both its own and the other's are taken.
}

}  // namespace
}  // namespace loadfactor::serving
