#include "engine/plan/plan_limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/testing/planned.h"
#include "resolve/model/node_power.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::scenario;
using testing::shipped;
using testing::verdict;

// Machines alone: where the API may be used, it keeps every limit but the budget.
const std::vector<std::string> kMachines{"money.options=[on-demand]"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kMachines.begin(), kMachines.end());
  return more;
}

TEST(PlanLimits, ADemandBeyondTheGpusIsNotFeasibleAndNamesWhatIs) {
  const std::string text = scenario("chatbot-spiky");
  const auto answer = verdict(text, with({"serve.demand.requests_per_month=3 B", "limits.gpus=8"}));
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible) << answer.verdict;
  EXPECT_TRUE(has(answer.verdict, "the limit is 8")) << answer.verdict;
  EXPECT_TRUE(has(answer.verdict, "of this traffic on 8 × ")) << answer.verdict;
  ASSERT_TRUE(answer.machine);
  EXPECT_GT(answer.machine->layout.gpus, 8);
  EXPECT_FALSE(answer.options.empty());
}

TEST(PlanLimits, WhereTheApiIsCheaperNoMachinesAreNeeded) {
  const std::string text = scenario("chatbot-spiky");
  const auto answer = verdict(text, {"serve.demand.requests_per_month=300 M", "limits.gpus=1",
                                     "money.api={price: 0.001 USD/M tokens}"});
  ASSERT_EQ(answer.options[0].cost.kind, "api") << answer.verdict;
  EXPECT_EQ(answer.decision, PlanDecision::kUseApi) << answer.verdict;
}

TEST(PlanLimits, TheBudgetOfAServiceIsByTheMonth) {
  const std::string text = scenario("chatbot-spiky");
  const auto free = verdict(text);
  const double cost = free.options[0].amount.base();
  const auto within = verdict(text, {fmt::format("limits.budget={:.0f} USD", cost * 2)});
  EXPECT_EQ(within.decision, free.decision) << within.verdict;
  const auto over = verdict(text, {fmt::format("limits.budget={:.0f} USD", cost / 4)});
  EXPECT_EQ(over.decision, PlanDecision::kNotFeasible) << over.verdict;
  EXPECT_TRUE(has(over.verdict, "and the budget is")) << over.verdict;
  // The API is paid by the token: a quarter of the money buys a quarter of the traffic.
  EXPECT_TRUE(has(over.verdict, "25.0 % of this traffic by the API")) << over.verdict;
}

TEST(PlanLimits, PowerRulesOutMachinesAndThenTheWholePlan) {
  const std::string text = scenario("chatbot-spiky");
  const auto free = verdict(text, kMachines);
  const auto chip = shipped().catalog().find_accelerator(free.machine->accelerator);
  const double watts =
      gpu_power(shipped().catalog(), **chip).most.base() * free.machine->layout.gpus;
  const auto within = verdict(text, with({fmt::format("limits.site_power={:.0f} W", watts * 2)}));
  EXPECT_EQ(within.decision, free.decision) << within.verdict;
  EXPECT_EQ(within.machine->layout.gpus, free.machine->layout.gpus);
  const auto none = verdict(text, with({fmt::format("limits.site_power={:.0f} W", watts / 2)}));
  EXPECT_EQ(none.decision, PlanDecision::kNotFeasible) << none.verdict;
  EXPECT_TRUE(has(none.verdict, "that the site has")) << none.verdict;
}

TEST(PlanLimits, ARackThatCarriesNoNodeOfAChipLeavesTheOthers) {
  const std::string text = scenario("chatbot-spiky");
  const auto& catalog = shipped().catalog();
  const double small = gpu_power(catalog, **catalog.find_accelerator("l40s")).most.base() * 8;
  const double large = gpu_power(catalog, **catalog.find_accelerator("h100-sxm")).most.base() * 8;
  ASSERT_LT(small, large);
  const auto answer =
      verdict(text, with({"hardware=[h100-sxm, l40s]", "serve.demand.requests_per_month=60 M",
                          fmt::format("limits.rack_power={:.0f} W", (small + large) / 2)}));
  EXPECT_NE(answer.decision, PlanDecision::kNotFeasible) << answer.verdict;
  EXPECT_EQ(answer.machine->accelerator, "l40s") << answer.verdict;
}

TEST(PlanLimits, ALooserLimitNeverCostsMore) {
  const std::string text = scenario("coding-assistant");
  Dollars before;
  bool was_feasible = false;
  for (const int gpus : {1, 2, 4, 64}) {
    const auto answer = verdict(text, with({fmt::format("limits.gpus={}", gpus)}));
    const bool feasible = answer.decision != PlanDecision::kNotFeasible;
    EXPECT_TRUE(feasible || !was_feasible) << gpus << ": " << answer.verdict;
    if (feasible && was_feasible) {
      EXPECT_LE(answer.options[0].amount, before * 1.000001) << gpus;
    }
    was_feasible = feasible;
    before = answer.options[0].amount;
  }
  EXPECT_TRUE(was_feasible);
}

}  // namespace
}  // namespace loadfactor::engine
