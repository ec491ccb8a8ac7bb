// What a search leaves out or cannot keep, and how it says so.
#include <algorithm>
#include <string>

#include "engine/train/search_engine_fixture.h"

namespace loadfactor {
namespace {

class SearchRefusalsTest : public SearchEngineTest {};

TEST_F(SearchRefusalsTest, BlocksOfEightBitsNeedUnitsThatScaleThem) {
  auto asked = request(std::string(kJob) + "  layout: {tp: 2, pp: 1, cp: 1, micro_batch: 1}\n",
                       "hardware: [h100-sxm, b200]\n");
  asked.gpus = {32};
  asked.precisions = {"bf16", "mxfp8"};
  const auto answer = search(asked);
  EXPECT_EQ(answer.machines, 3);
  ASSERT_EQ(answer.excluded.size(), 1U);
  EXPECT_EQ(answer.excluded[0].accelerator, "h100-sxm");
  EXPECT_EQ(answer.excluded[0].why.precision, "mxfp8");
  asked.precisions = {"mxfp9"};
  Diagnostics diagnostics;
  EXPECT_FALSE(engine_->search(asked, diagnostics).has_value());
  EXPECT_TRUE(diagnostics.errors().at(0).message.starts_with("--precision:"));
}

// Thirty-two GPUs make no group of three, and data parallelism over one rank shards nothing.
TEST_F(SearchRefusalsTest, WhatIsWrittenIsKeptOrNamed) {
  const std::string job = kJob;
  const auto asked = [&](const std::string& layout) {
    auto out = request(job + "  layout: {tp: 8, " + layout + ", recompute: none}\n",
                       "hardware: [h100-sxm]\n");
    out.gpus = {32};
    return out;
  };
  const auto group = search(asked("zero: 3, shard_group: 3"));
  EXPECT_TRUE(group.plans.empty());
  EXPECT_NE(group.excluded.at(0).why.refusal.find("shard_group: 3 cannot be kept: dp · cp ranks"),
            std::string::npos)
      << group.excluded[0].why.refusal;
  const auto chunks = search(asked("vp: 15"));
  EXPECT_TRUE(chunks.plans.empty());
  EXPECT_NE(chunks.excluded.at(0).why.refusal.find("vp: 15 cannot be kept: interleaving takes"),
            std::string::npos)
      << chunks.excluded[0].why.refusal;
  for (const auto& plan : search(asked("cp: 1, zero: 1")).plans)
    EXPECT_EQ(plan.train.layout.sharding, "zero-1");
  for (const auto& plan : search(asked("cp: 1, schedule: interleaved")).plans)
    EXPECT_GT(plan.train.layout.pp, 1);
}

TEST_F(SearchRefusalsTest, WhatTheSoftwareCannotRunIsLeftOutAndSaid) {
  auto asked = request(std::string(kJob) + "  stack: {framework: megatron-2021}\n",
                       "hardware: [a100-80gb-sxm]\n");
  asked.gpus = {32};
  const auto answer = search(asked);
  ASSERT_FALSE(answer.plans.empty());
  for (const auto& plan : answer.plans) {
    EXPECT_EQ(plan.train.layout.cp, 1);
    EXPECT_EQ(plan.train.layout.sharding, "none");
    EXPECT_TRUE(plan.train.layout.offload.empty());
  }
  const auto said = std::find_if(answer.notices.begin(), answer.notices.end(),
                                 [](const Notice& each) { return each.id == "left-out-by-stack"; });
  ASSERT_NE(said, answer.notices.end());
  EXPECT_NE(said->arguments.at(1).text.find("cp, "), std::string::npos);
  EXPECT_NE(said->arguments.at(1).text.find("schedule: dualpipe"), std::string::npos);
  // A format it lacks is left out among several, and refused alone.
  asked.precisions = {"bf16", "fp8"};
  const auto several = search(asked);
  EXPECT_FALSE(several.plans.empty());
  EXPECT_EQ(several.excluded.at(0).why.kind, MachineObjection::Kind::kNoAbility);
  EXPECT_EQ(several.excluded.at(0).why.precision, "fp8");
}

// Twelve GPUs take three stages, under which this software shards no parameters; one rank that
// shards nothing is not what is written.
TEST_F(SearchRefusalsTest, ShardingIsNotDroppedForWantOfRanks) {
  auto asked = request(std::string(kJob) + "  layout: {zero: 3}\n", "hardware: [h100-sxm]\n");
  asked.gpus = {12};
  const auto answer = search(asked);
  EXPECT_TRUE(answer.plans.empty());
  EXPECT_NE(answer.excluded.at(0).why.refusal.find("zero: 3 cannot be kept"), std::string::npos)
      << answer.excluded[0].why.refusal;
}

TEST_F(SearchRefusalsTest, ASiteWithTooLittlePowerIsALimitThatIsMissed) {
  auto asked = request(kJob, "hardware: [h100-sxm]\nlimits: {site_power: 325 kW}\n");
  asked.gpus = {256};
  const auto answer = search(asked);
  ASSERT_EQ(answer.missed.size(), 1U);
  EXPECT_EQ(answer.missed[0].key, MissedLimit::Key::kSitePower);
  ASSERT_TRUE(answer.excluded.at(0).why.power);
  EXPECT_TRUE(answer.excluded[0].why.power->has_spares);
}

}  // namespace
}  // namespace loadfactor
