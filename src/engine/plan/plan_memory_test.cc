#include "engine/plan/plan_memory.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::lever;
using testing::plan;
using testing::scenario;
using testing::shipped;

const catalog::AcceleratorSpec& chip(const std::string& name) {
  return **shipped().catalog().find_accelerator(name);
}

TEST(MemoryTiers, HostMemoryIsSharedByTheGpusOfANode) {
  const auto& catalog = shipped().catalog();
  const auto tiers = memory_tiers(catalog, chip("h100-sxm"));
  ASSERT_FALSE(tiers.empty());
  EXPECT_EQ(tiers[0].name, "host memory");
  const auto node = catalog.find_node(chip("h100-sxm").node);
  ASSERT_TRUE(node && (*node)->host);
  EXPECT_EQ(tiers[0].room, (*node)->host->memory / static_cast<double>((*node)->gpus));
  EXPECT_EQ(tiers[0].bandwidth, chip("h100-sxm").host->bandwidth);
  EXPECT_FALSE(tiers[0].fact.where.empty());
}

TEST(MemoryTiers, CxlIsNoFasterThanTheLinkInFrontOfIt) {
  const auto tiers = memory_tiers(shipped().catalog(), chip("h100-sxm"));
  ASSERT_EQ(tiers.size(), 2U);
  EXPECT_TRUE(has(tiers[1].name, "CXL memory"));
  EXPECT_LE(tiers[1].bandwidth, chip("h100-sxm").host->bandwidth);
  EXPECT_EQ(tiers[1].room, Bytes());  // As much as is bought.
}

TEST(MemoryTiers, AChipWhoseHostLinkIsUnknownHasNone) {
  catalog::AcceleratorSpec unknown = chip("h100-sxm");
  unknown.host.reset();
  EXPECT_TRUE(memory_tiers(shipped().catalog(), unknown).empty());
}

TEST(MemoryTiers, WhatArrivesWhileATokenIsMadeIsWhatCanBeUsed) {
  serving::ReplicaPlan replica;
  replica.kv_per_token = Bytes::from_base(1e5);
  MemoryTier tier{
      .name = "host memory", .bandwidth = BytesPerSecond::from_base(50e9), .room = {}, .fact = {}};
  // 50 GB/s for 20 ms are 1 GB, which 100 kB a token make 10,000 tokens.
  EXPECT_DOUBLE_EQ(streamed_tokens(tier, replica, 0.02), 10'000);
  // Twice the time, twice the tokens; but no more than there is room for.
  EXPECT_DOUBLE_EQ(streamed_tokens(tier, replica, 0.04), 20'000);
  tier.room = Bytes::from_base(0.5e9);
  EXPECT_DOUBLE_EQ(streamed_tokens(tier, replica, 0.04), 5'000);
  // Two GPUs of one replica have two links.
  replica.choice.layout.tp = 2;
  EXPECT_DOUBLE_EQ(streamed_tokens(tier, replica, 0.04), 10'000);
  replica.kv_per_token = Bytes();
  EXPECT_EQ(streamed_tokens(tier, replica, 0.04), 0);
}

// A promise so loose that only the room for sequences holds the rate.
TEST(MemoryLevers, MoreMemoryHelpsWhereTheRoomForSequencesBinds) {
  const auto roomy = plan(scenario("batch-inference"),
                          {"serve.demand.tokens_in=30000", "serve.demand.tokens_out=3000",
                           "serve.demand.requests_per_day=20 K", "serve.slo.ttft_p95=600 s",
                           "serve.slo.tpot_p95=2 s", "hardware=[h100-sxm]"});
  const auto* more = lever<MemoryLever>(roomy);
  ASSERT_NE(more, nullptr);
  EXPECT_GT(more->gain, 0);
  const auto tight = plan(scenario("coding-assistant"));
  EXPECT_NE(lever<MemoryChangesNothing>(tight), nullptr);
}

TEST(MemoryLevers, PromptsAndAnswersApartAreComparedWithTogether) {
  const auto answer = plan(scenario("coding-assistant"));
  const auto* apart = lever<SplitPoolsLever>(answer);
  ASSERT_NE(apart, nullptr);
  EXPECT_GE(apart->prompt_replicas, 1);
  EXPECT_GE(apart->answer_replicas, 1);
  EXPECT_GT(apart->gpus_together, 0);
}

}  // namespace
}  // namespace loadfactor::engine
