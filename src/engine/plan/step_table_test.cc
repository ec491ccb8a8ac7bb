#include "engine/plan/step_table.h"

#include <gtest/gtest.h>

#include "engine/plan/plan.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::plan;
using testing::scenario;

const WayStep& step_at(const PayingWay& way, double x) {
  for (const auto& step : way.steps)
    if (x <= step.to * (1 + 1e-9)) return step;
  return way.steps.back();
}

// Today's figures are those of the options; more traffic never takes fewer GPUs or less money.
TEST(StepTable, OfAServiceCostsTodayWhatTheOptionsCost) {
  const PlanAnswer answer = plan(scenario("coding-assistant.yaml"));
  ASSERT_TRUE(answer.steps_to_pay);
  const StepTable& table = *answer.steps_to_pay;
  EXPECT_EQ(table.here, 1);
  EXPECT_GE(table.most, 2.5);
  int compared = 0;
  for (const auto& way : table.ways) {
    Dollars least;
    bool is_first = true;
    for (const auto& option : answer.options)
      if (option.cost.kind == way.kind && (is_first || option.amount < least)) {
        least = option.amount;
        is_first = false;
      }
    if (is_first || is_mix(way.kind)) continue;
    ++compared;
    EXPECT_NEAR(step_at(way, 1).cost(1, false) / least, 1, 1e-6) << name_of(way.kind);
    EXPECT_GE(way.steps.back().to, table.most * (1 - 1e-9)) << name_of(way.kind);
    for (std::size_t i = 1; i < way.steps.size(); ++i) {
      const auto& before = way.steps[i - 1];
      const auto& after = way.steps[i];
      EXPECT_GT(after.to, before.to);
      EXPECT_GE(after.cost(after.to, false), before.cost(before.to, false) * 0.999)
          << name_of(way.kind) << " " << after.to;
    }
  }
  EXPECT_GE(compared, 4);
}

// Parts add up: what is owned is price, upkeep, power, people and space; the rest is one thing.
TEST(StepTable, SplitsMoneyByWhatMovesIt) {
  const PlanAnswer answer = plan(scenario("coding-assistant.yaml"));
  ASSERT_TRUE(answer.steps_to_pay);
  const auto part = [](const WayStep& step, MoneyPart what) {
    const auto i = static_cast<std::size_t>(what);
    return step.fixed[i] + step.moving[i];
  };
  const PayingWay* own = answer.steps_to_pay->find(OptionKind::kOwn);
  const PayingWay* api = answer.steps_to_pay->find(OptionKind::kApi);
  ASSERT_TRUE(own != nullptr && api != nullptr);
  const WayStep& bought = step_at(*own, 1);
  EXPECT_GT(part(bought, MoneyPart::kPrice), part(bought, MoneyPart::kUpkeep));
  EXPECT_GT(part(bought, MoneyPart::kPower), Dollars());
  EXPECT_GT(part(bought, MoneyPart::kPeople), Dollars());
  EXPECT_NEAR(part(bought, MoneyPart::kRent).base(), 0, 1e-6);
  EXPECT_NEAR(part(step_at(*api, 1), MoneyPart::kApi) / step_at(*api, 1).cost(1, false), 1, 1e-12);
  EXPECT_EQ(bought.gpus % static_cast<int>(own->machine), 0);
}

// A purchase for one run is all the run's; as busy for the rest of their life, it is a share.
TEST(StepTable, OfARunSpreadsAPurchaseOverTheLifeInWhichItWorks) {
  const PlanAnswer answer = plan(scenario("pretrain-70b-512.yaml"));
  ASSERT_TRUE(answer.steps_to_pay);
  const StepTable& table = *answer.steps_to_pay;
  EXPECT_TRUE(table.is_run);
  for (const auto& option : answer.options) {
    const PayingWay* way = table.find(option.cost.kind);
    ASSERT_NE(way, nullptr);
    EXPECT_NEAR(way->steps[0].cost(table.here, true) / option.amount, 1, 1e-9)
        << name_of(option.cost.kind);
    if (option.cost.kind == OptionKind::kOnDemand) {
      EXPECT_EQ(way->steps[0].cost(0.5, true), way->steps[0].cost(1, true));
    }
    if (option.cost.kind == OptionKind::kOwn) {
      EXPECT_GT(way->steps[0].cost(0.5, true), way->steps[0].cost(1, true));
    }
  }
}

}  // namespace
}  // namespace loadfactor::engine
