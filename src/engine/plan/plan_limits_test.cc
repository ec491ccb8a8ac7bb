#include "engine/plan/plan_limits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/testing/sound.h"
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
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible) << name_of(answer.decision);
  ASSERT_EQ(answer.broken.size(), 1U);
  const auto* few = std::get_if<TooFewGpus>(&answer.broken[0]);
  ASSERT_NE(few, nullptr);
  EXPECT_EQ(few->limit, 8);
  ASSERT_FALSE(answer.nearest.empty());
  const auto* part = std::get_if<PartOnMachines>(&answer.nearest[0]);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->gpus, 8);
  EXPECT_LT(part->share, 1);
  ASSERT_TRUE(answer.machine);
  EXPECT_GT(answer.machine->layout.gpus, 8);
  EXPECT_EQ(few->needed, answer.machine->layout.gpus);
  EXPECT_FALSE(answer.options.empty());
}

TEST(PlanLimits, WhereTheApiIsCheaperNoMachinesAreNeeded) {
  const std::string text = scenario("chatbot-spiky");
  const auto answer = verdict(text, {"serve.demand.requests_per_month=300 M", "limits.gpus=1",
                                     "money.api={price: 0.001 USD/M tokens}"});
  ASSERT_EQ(answer.options[0].cost.kind, OptionKind::kApi) << name_of(answer.decision);
  EXPECT_EQ(answer.decision, PlanDecision::kUseApi) << name_of(answer.decision);
  ASSERT_TRUE(answer.machine);
  ASSERT_GT(answer.machine->layout.gpus, 1);
  for (const auto& option : answer.options)
    EXPECT_EQ(option.is_beyond_limits, option.cost.kind != OptionKind::kApi)
        << name_of(option.cost.kind);
}

TEST(PlanLimits, TheBudgetOfAServiceIsByTheMonth) {
  const std::string text = scenario("chatbot-spiky");
  const auto free = verdict(text);
  const double cost = free.options[0].amount.base();
  const auto within = verdict(text, {fmt::format("limits.budget={:.0f} USD", cost * 2)});
  EXPECT_EQ(within.decision, free.decision) << name_of(within.decision);
  const auto over = verdict(text, {fmt::format("limits.budget={:.0f} USD", cost / 4)});
  EXPECT_EQ(over.decision, PlanDecision::kNotFeasible) << name_of(over.decision);
  ASSERT_EQ(over.broken.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<TooSmallBudget>(over.broken[0]));
  // The API is paid by the token: a quarter of the money buys a quarter of the traffic.
  ASSERT_FALSE(over.nearest.empty());
  const auto* part = std::get_if<PartByApi>(&over.nearest[0]);
  ASSERT_NE(part, nullptr);
  EXPECT_NEAR(part->share, 0.25, 0.005);
}

TEST(PlanLimits, PowerRulesOutMachinesAndThenTheWholePlan) {
  const std::string text = scenario("chatbot-spiky");
  const auto free = verdict(text, kMachines);
  const auto chip = shipped().catalog().find_accelerator(free.machine->accelerator);
  const double watts =
      gpu_power(shipped().catalog(), **chip).most.base() * free.machine->layout.gpus;
  const auto within = verdict(text, with({fmt::format("limits.site_power={:.0f} W", watts * 2)}));
  EXPECT_EQ(within.decision, free.decision) << name_of(within.decision);
  EXPECT_EQ(within.machine->layout.gpus, free.machine->layout.gpus);
  const auto none = verdict(text, with({fmt::format("limits.site_power={:.0f} W", watts / 2)}));
  EXPECT_EQ(none.decision, PlanDecision::kNotFeasible) << name_of(none.decision);
  ASSERT_EQ(none.broken.size(), 1U);
  const auto* little = std::get_if<TooLittlePower>(&none.broken[0]);
  ASSERT_NE(little, nullptr);
  EXPECT_FALSE(little->objection.is_of_rack);
  EXPECT_GT(little->objection.drawn, little->objection.limit);
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
  EXPECT_NE(answer.decision, PlanDecision::kNotFeasible) << name_of(answer.decision);
  EXPECT_EQ(answer.machine->accelerator, "l40s") << name_of(answer.decision);
}

TEST(PlanLimits, ALooserLimitNeverCostsMore) {
  const std::string text = scenario("coding-assistant");
  Dollars before;
  bool was_feasible = false;
  for (const int gpus : {1, 2, 4, 64}) {
    const auto answer = verdict(text, with({fmt::format("limits.gpus={}", gpus)}));
    const bool feasible = answer.decision != PlanDecision::kNotFeasible;
    EXPECT_TRUE(feasible || !was_feasible) << gpus << ": " << name_of(answer.decision);
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
