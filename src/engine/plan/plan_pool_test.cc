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
  ASSERT_GT(answer.machine->layout.gpus, 8) << answer.verdict;
  EXPECT_TRUE(has(answer.verdict, "One pool does both")) << answer.verdict;
  EXPECT_NE(answer.decision, PlanDecision::kSplit);
  EXPECT_TRUE(has(answer.training_beside, "hours that serving leaves idle"));
  const std::string words = lever(answer, "train in idle serving hours");
  EXPECT_FALSE(has(words, "idle give 0 ")) << words;
}

TEST(PlanPool, ARunTooLargeForThemIsKeptApart) {
  const auto answer = pooled({"train.tokens=5 T"});
  EXPECT_TRUE(answer.decision == PlanDecision::kSplit ||
              answer.decision == PlanDecision::kNotFeasible)
      << answer.verdict;
  EXPECT_TRUE(has(lever(answer, "train in idle serving hours"), "keep them apart"));
}

TEST(PlanPool, TheRunIsNotComparedWithTheApiOfTheService) {
  const auto answer = pooled({"train.tokens=5 T"});
  const auto at = answer.verdict.find("Training: ");
  ASSERT_NE(at, std::string::npos) << answer.verdict;
  EXPECT_FALSE(has(answer.verdict.substr(at), "API")) << answer.verdict;
}

TEST(PlanPool, AFleetThatIsLetGoWhenItIsIdleLeavesNoHours) {
  const auto answer = pooled({"money.options=[on-demand]"});
  ASSERT_EQ(answer.options[0].cost.kind, "autoscaled") << answer.verdict;
  EXPECT_EQ(answer.decision, PlanDecision::kSplit) << answer.verdict;
  EXPECT_TRUE(has(lever(answer, "train in idle serving hours"), "no whole GPU that is ever idle"));
}

TEST(PlanPool, BothKindsOfWorkAreInTheTitle) {
  const auto answer = pooled();
  EXPECT_TRUE(has(answer.title, "requests/s")) << answer.title;
  EXPECT_TRUE(has(answer.title, "and training: ")) << answer.title;
}

}  // namespace
}  // namespace loadfactor::engine
