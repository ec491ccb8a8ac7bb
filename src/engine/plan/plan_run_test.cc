// What a run costs and what is nearest where its limits leave nothing.
#include "engine/plan/plan_run.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/figure_text.h"
#include "base/layout_text.h"
#include "engine/plan/plan_sizes.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::has;
using testing::scenario;
using testing::verdict;

const PlanOption* option_of(const PlanAnswer& answer, OptionKind kind) {
  for (const auto& option : answer.options)
    if (option.cost.kind == kind) return &option;
  return nullptr;
}

// What its time costs, without what outlasts the run.
Dollars by_time(const PlanOption& option) {
  return option.cost.per_month.value() * (*option.cost.run_time / kMonth);
}

const std::vector<std::string> kEveryWay{
    "money.options=[on-demand, reserved-1y, reserved-3y, spot, own]", "limits.budget="};

TEST(PlanRun, ARunThatOutlastsAReservationPaysWholeTermsOrTheRestByTheHour) {
  auto set = kEveryWay;
  set.insert(set.end(), {"train.tokens=20 T", "train.deadline=", "hardware=[h100-sxm]"});
  const auto answer = verdict(scenario("finetune-8b"), set);
  const PlanOption* year = option_of(answer, OptionKind::kReserved1y);
  ASSERT_NE(year, nullptr);
  ASSERT_TRUE(year->cost.term);
  EXPECT_GT(year->amount, by_time(*year));
  EXPECT_TRUE(year->cost.term->is_renewed);
  EXPECT_DOUBLE_EQ(year->cost.term->commitment.base(), 365 * 86400.0);
}

// Texts of 500 tokens fill a quarter of a sequence: time and money are those of all of it.
TEST(PlanRun, FillingCostsMoneyAsItTakesTime) {
  const auto packed = verdict(scenario("lora-8b-one-card"));
  const auto filled = verdict(scenario("lora-8b-one-card"), {"train.examples.packing=false"});
  ASSERT_FALSE(packed.options.empty() || filled.options.empty());
  ASSERT_TRUE(packed.duration && filled.duration);
  const double longer = filled.duration->value() / packed.duration->value();
  EXPECT_GT(longer, 4);
  EXPECT_NEAR(filled.options[0].amount / packed.options[0].amount, longer, 1e-6);
}

TEST(PlanRun, ARunWithPhasesIsPlannedWithinItsBudget) {
  const auto open = verdict(scenario("grpo-8b"), {"limits.gpus=4"});
  ASSERT_FALSE(open.options.empty());
  Dollars least = open.options[0].amount;
  for (const auto& other : open.runner_ups)
    if (other.cost > Dollars()) least = std::min(least, other.cost);
  ASSERT_LT(least, open.options[0].amount);
  const auto within =
      verdict(scenario("grpo-8b"),
              {"limits.gpus=4", fmt::format("limits.budget={} USD", least.base() + 1)});
  EXPECT_NE(within.decision, PlanDecision::kNotFeasible);
  EXPECT_LE(within.options[0].amount.base(), least.base() + 1);
}

TEST(PlanRun, AReservationIsPaidToItsEndAndNotRecommendedForAFewHours) {
  const auto answer = verdict(scenario("finetune-8b"), kEveryWay);
  const PlanOption* year = option_of(answer, OptionKind::kReserved1y);
  ASSERT_NE(year, nullptr);
  EXPECT_NEAR(year->amount / year->cost.per_month.value(), 12, 0.01);  // 8760 h over 730 h.
  ASSERT_TRUE(year->cost.term);
  EXPECT_FALSE(year->cost.term->is_renewed);
  EXPECT_LT(year->cost.term->run, year->cost.term->commitment);
  const auto& first = answer.options[0].cost.kind;
  EXPECT_TRUE(first == OptionKind::kSpot || first == OptionKind::kOnDemand)
      << name_of(answer.decision);
}

// As `train` says of the same layout.
TEST(PlanRun, EachWayToPayHasTheGoodputAndCostThatTrainGivesIt) {
  auto set = kEveryWay;
  set.insert(set.end(), {"train.tokens=20 B", "hardware=[h100-sxm]"});
  const auto answer = verdict(scenario("finetune-8b"), set);
  ASSERT_TRUE(answer.training);
  ASSERT_EQ(answer.training->options.size(), 5U);
  for (const RunOption& way : answer.training->options) {
    const PlanOption* option = option_of(answer, way.kind);
    ASSERT_NE(option, nullptr) << name_of(way.kind);
    EXPECT_NEAR(option->amount / way.cost->value(), 1, 1e-9) << name_of(way.kind);
    EXPECT_NEAR(*option->cost.run_time / way.duration->value(), 1, 1e-9) << name_of(way.kind);
  }
}

TEST(PlanRun, MachinesThatAreThereAreChargedForTheirShareOfTheRun) {
  auto set = kEveryWay;
  set.emplace_back("train.layout.gpus=8");
  set.emplace_back("hardware=[h100-sxm]");
  const auto there = verdict(scenario("finetune-8b"), set);
  const PlanOption* own = option_of(there, OptionKind::kOwn);
  ASSERT_NE(own, nullptr);
  EXPECT_NEAR(own->amount / by_time(*own), 1, 1e-9);
  set.pop_back();
  set.pop_back();
  const auto bought = verdict(scenario("finetune-8b"), set);
  const PlanOption* other = option_of(bought, OptionKind::kOwn);
  ASSERT_NE(other, nullptr);
  EXPECT_GT(other->amount, by_time(*other) * 100);
}

TEST(PlanRun, BreakEvensAgainstRentHaveAWidth) {
  const auto answer = verdict(scenario("finetune-8b"), kEveryWay);
  for (const auto& option : answer.options) {
    if (!option.cost.break_even) continue;
    EXPECT_LT(option.cost.break_even->low(), option.cost.break_even->high())
        << name_of(option.cost.kind);
  }
}

TEST(PlanRun, ABudgetThatIsTooSmallIsNamedWithWhatWouldDo) {
  const std::string text = scenario("finetune-8b");
  const auto answer = verdict(text, {"limits.budget=5 USD"});
  EXPECT_EQ(answer.decision, PlanDecision::kNotFeasible) << name_of(answer.decision);
  ASSERT_EQ(answer.broken.size(), 1U);
  const auto* over = std::get_if<RunOverBudget>(&answer.broken[0]);
  ASSERT_NE(over, nullptr);
  EXPECT_DOUBLE_EQ(over->budget.base(), 5);
  ASSERT_TRUE(answer.machine);
  EXPECT_GT(answer.options[0].amount.base(), 5);
}

TEST(PlanRun, ABudgetThatOnlySpotKeepsIsKept) {
  const std::string text = scenario("finetune-8b");
  const auto free = verdict(text, {"limits.budget="});
  const PlanOption* spot = option_of(free, OptionKind::kSpot);
  const PlanOption* rent = option_of(free, OptionKind::kOnDemand);
  ASSERT_TRUE(spot != nullptr && rent != nullptr && spot->amount * 1.3 < rent->amount);
  const auto between = (spot->amount * 1.2).base();
  const auto answer = verdict(text, {fmt::format("limits.budget={:.2f} USD", between)});
  EXPECT_NE(answer.decision, PlanDecision::kNotFeasible) << name_of(answer.decision);
  EXPECT_EQ(answer.options[0].cost.kind, OptionKind::kSpot);
}

TEST(PlanRun, NobodySellsTrainingByTheToken) {
  const auto answer = verdict(scenario("finetune-8b"),
                              {"money={options: [on-demand, spot, api], api: {price: 1 USD/M "
                               "tokens}}"});
  EXPECT_EQ(option_of(answer, OptionKind::kApi), nullptr);
  EXPECT_FALSE(answer.against && answer.against->kind == OptionKind::kApi);
}

TEST(PlanRun, WordsOfALayoutNameEverythingThatMultipliesToItsGpus) {
  TrainLayout layout;
  layout.tp = 2;
  layout.pp = 3;
  layout.dp = 4;
  EXPECT_EQ(parallel_text(layout), "tp 2 × pp 3 × dp 4");
  layout.cp = 8;
  layout.ep = 2;
  EXPECT_EQ(parallel_text(layout), "tp 2 × pp 3 × dp 4 × cp 8, ep 2");
}

TEST(PlanRun, TimesAreInTheUnitThatPeopleUse) {
  const auto text = [](double hours) { return days_text(Seconds::from_base(hours * 3600)); };
  EXPECT_EQ(text(0.5), "30 min");
  EXPECT_EQ(text(31), "31.0 h");
  EXPECT_EQ(text(72), "3.0 days");
  EXPECT_EQ(text(24 * 365.25 * 4), "4.0 years");
  EXPECT_FALSE(has(text(24 * 8446886.3), "days"));
}

TEST(PlanRun, HowAMachineIsPaidForIsSaidOnce) {
  const auto answer = verdict(scenario("finetune-8b"), {"hardware=[h100-sxm, h200-sxm]",
                                                        "money.options=[on-demand, spot, own]"});
  std::vector<std::string> machines;
  for (const auto& notice : answer.notices)
    if (notice.id == "ways-to-pay") machines.push_back(notice.arguments.front().text);
  ASSERT_FALSE(machines.empty());
  std::sort(machines.begin(), machines.end());
  EXPECT_EQ(std::adjacent_find(machines.begin(), machines.end()), machines.end());
}

}  // namespace
}  // namespace loadfactor::engine
