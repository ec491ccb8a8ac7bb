// A service and a run in one scenario.
#include <gtest/gtest.h>

#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::lever;
using testing::plan;
using testing::scenario;

constexpr const char* kService =
    "serve={model: llama-3.1-8b, precision: fp8, demand: {requests_per_month: 900 M, tokens_in: "
    "1200, tokens_out: 300, shape: global-chat}, slo: {ttft_p95: 2 s, tpot_p95: 60 ms}}";

PlanAnswer pooled(const std::vector<std::string>& more = {}) {
  std::vector<std::string> set{kService, "hardware=[h100-sxm]",
                               "money={options: [reserved-1y, api]}", "limits={gpus: 256}",
                               "train.deadline=30 days"};
  set.insert(set.end(), more.begin(), more.end());
  return plan(scenario("finetune-8b"), set);
}

TEST(PlanPool, ASmallRunFitsIntoTheHoursThatALargeServiceLeavesIdle) {
  const auto answer = pooled();
  ASSERT_GT(answer.machine->layout.gpus, 8) << name_of(answer.decision);
  ASSERT_TRUE(answer.pooled);
  EXPECT_TRUE(answer.pooled->fits);
  EXPECT_NE(answer.decision, PlanDecision::kSplit);
  EXPECT_GT(answer.pooled->idle, answer.pooled->needed);
  EXPECT_GT(answer.pooled->saved, Dollars());
}

TEST(PlanPool, ARunTooLargeForThemIsKeptApart) {
  const auto answer = pooled({"train.tokens=5 T"});
  EXPECT_TRUE(answer.decision == PlanDecision::kSplit ||
              answer.decision == PlanDecision::kNotFeasible)
      << name_of(answer.decision);
  ASSERT_NE(lever<PoolLever>(answer), nullptr);
  EXPECT_FALSE(lever<PoolLever>(answer)->pooled.fits);
}

TEST(PlanPool, TheRunIsNotComparedWithTheApiOfTheService) {
  const auto answer = pooled({"train.tokens=5 T"});
  ASSERT_NE(answer.run_beside, nullptr);
  for (const auto& option : answer.run_beside->options)
    EXPECT_NE(option.cost.kind, OptionKind::kApi);
  EXPECT_TRUE(!answer.run_beside->against || answer.run_beside->against->kind != OptionKind::kApi);
}

TEST(PlanPool, AFleetThatIsLetGoWhenItIsIdleLeavesNoHours) {
  const auto answer = pooled({"money.options=[on-demand]"});
  ASSERT_EQ(answer.options[0].cost.kind, OptionKind::kAutoscaled) << name_of(answer.decision);
  EXPECT_EQ(answer.decision, PlanDecision::kSplit) << name_of(answer.decision);
  ASSERT_TRUE(answer.pooled);
  EXPECT_EQ(answer.pooled->outcome, PooledRun::Outcome::kNothingIdle);
}

TEST(PlanPool, BothKindsOfWorkAreInTheAnswer) {
  const auto answer = pooled();
  EXPECT_GT(answer.rate, Hertz());
  ASSERT_NE(answer.run_beside, nullptr);
  EXPECT_GT(answer.run_beside->sequence, 0);
}

}  // namespace
}  // namespace loadfactor::engine
