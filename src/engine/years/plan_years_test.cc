// Laws of a plan of years, on shipped services.
#include "engine/years/plan_years.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "base/error_codes.h"
#include "engine/testing/planned.h"

namespace loadfactor::engine {
namespace {

using testing::scenario;
using testing::shipped;
using testing::verdict;

PlanYears years_of(const std::string& name, int years, const std::vector<std::string>& set = {}) {
  const PlanAnswer plan = verdict(scenario(name), set);
  auto found = plan_years(shipped().catalog(), plan, years);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *std::move(found) : PlanYears();
}

const LongRunPlan* way_of(const PlanYears& years, OptionKind kind, const std::string& accelerator) {
  for (const LongRunPlan& plan : years.plans)
    if (!plan.then && plan.first.kind == kind && plan.first.accelerator == accelerator)
      return &plan;
  return nullptr;
}

TEST(PlanYearsTest, AYearWithoutGrowthIsTwelveMonthsOfThePlanByEveryWay) {
  for (const char* name : {"chatbot-spiky", "batch-inference"}) {
    const PlanAnswer plan = verdict(scenario(name));
    const auto years = plan_years(shipped().catalog(), plan, 1);
    ASSERT_TRUE(years);
    int compared = 0;
    for (const PlanOption& option : plan.options) {
      const auto* way = way_of(*years, option.cost.kind, option.accelerator);
      if (way == nullptr) continue;
      ++compared;
      const double expected = 12 * option.amount.base();
      EXPECT_NEAR(way->money.years[0].cost.base(), expected, 1e-6 * expected)
          << name << " " << option.accelerator << " " << name_of(option.cost.kind);
    }
    EXPECT_GE(compared, 5) << name;
  }
}

TEST(PlanYearsTest, WithoutADiscountTheNpvIsTheSumOfCash) {
  const auto years = years_of("chatbot-spiky", 3,
                              {"money.own.discount=0", "money.tax=21 %",
                               "serve.demand.growth=5 %/month", "money.own.depreciation=macrs"});
  ASSERT_FALSE(years.plans.empty());
  for (const LongRunPlan& plan : years.plans) {
    double sum = 0;
    for (const auto& book : plan.money.years) sum += (book.cash - book.tax).base();
    EXPECT_NEAR(plan.money.npv.base(), sum, 1e-6 * std::abs(sum));
  }
}

TEST(PlanYearsTest, MoreGrowthNeverCostsLess) {
  for (const char* name : {"chatbot-spiky", "batch-inference"}) {
    double before = 0;
    for (const char* growth : {"0 %/month", "2 %/month", "4 %/month", "8 %/month"}) {
      const auto years = years_of(name, 2, {std::string("serve.demand.growth=") + growth});
      ASSERT_FALSE(years.plans.empty());
      const double cost = -years.plans.front().money.npv.base();
      EXPECT_GE(cost, before) << name << " " << growth;
      before = cost;
    }
  }
}

TEST(PlanYearsTest, TokensCostWhatTheirTrafficAndTheirPriceSay) {
  const auto years = years_of("chatbot-spiky", 2,
                              {"serve.demand.growth=[2, 4]", "money.api.half_life=1 years",
                               "money.api.price=1 USD/M tokens"});
  const auto* api = way_of(years, OptionKind::kApi, "");
  ASSERT_NE(api, nullptr);
  // Traffic of 1, then 2, then 4 for ten months: 43 months of today's; 48 at half the price.
  const double month = api->money.years[0].cost.base() / 43;
  EXPECT_NEAR(api->money.years[1].cost.base(), 48 * month / 2, 1e-6 * month);
  EXPECT_NEAR(years.traffic[0], 43.0 / 12, 1e-9);
}

TEST(PlanYearsTest, TokensFallAsUsualWhereNobodySaysHow) {
  const auto years = [](const char* half_life) {
    return years_of("chatbot-spiky", 3, {"money.api.price=1 USD/M tokens", half_life});
  };
  const auto usual = years("money.api.half_life=");
  const auto* api = way_of(usual, OptionKind::kApi, "");
  ASSERT_NE(api, nullptr);
  const double first = api->money.years[0].cost.base();
  constexpr double kHalfLife = 1.55;  // Years, of mid-size models.
  EXPECT_NEAR(api->money.years[2].cost.base(), first / std::exp2(2 / kHalfLife), 1e-6 * first);
  EXPECT_LT(api->lowest.years[2].operating, api->money.years[2].operating);
  const auto stated = years("money.api.half_life=1 years");
  api = way_of(stated, OptionKind::kApi, "");
  ASSERT_NE(api, nullptr);
  EXPECT_NEAR(api->money.years[2].cost.base(), first / 4, 1e-6 * first);
}

TEST(PlanYearsTest, GrowthIsCompoundedByTheMonthOrReadFromATable) {
  const auto monthly = config::parse_growth("8 %/month");
  ASSERT_TRUE(monthly);
  EXPECT_NEAR(monthly->after(12), std::pow(1.08, 12), 1e-12);
  const auto yearly = config::parse_growth("100 %/year");
  ASSERT_TRUE(yearly);
  EXPECT_NEAR(yearly->after(24), 4, 1e-12);
  EXPECT_FALSE(config::parse_growth("8 %"));
  EXPECT_FALSE(config::parse_growth("much/month"));
  EXPECT_FALSE(config::parse_growth("8 %/day"));
}

TEST(PlanYearsTest, AnAnnouncedChipFollowsAnotherWayAndIsNeverThereBefore) {
  const auto years = years_of(
      "chatbot-spiky", 3, {"hardware=[l40s, rubin-vr-nvl72]", "money.options=[own, on-demand]"});
  ASSERT_EQ(years.coming.size(), 1U);
  const ComingChip& chip = years.coming.front();
  EXPECT_EQ(chip.accelerator, "rubin-vr-nvl72");
  EXPECT_EQ(chip.year, 2026);
  EXPECT_GE(chip.month, 1);
  int later = 0;
  for (const LongRunPlan& plan : years.plans) {
    EXPECT_NE(plan.first.accelerator, chip.accelerator);
    if (!plan.then || plan.then->accelerator != chip.accelerator) continue;
    ++later;
    EXPECT_GE(plan.change, chip.month);
  }
  EXPECT_GE(later, 1);
}

TEST(PlanYearsTest, NothingBridgesTheTimeToAnAnnouncedChipAlone) {
  const PlanAnswer plan =
      verdict(scenario("chatbot-spiky"), {"hardware=rubin-vr-nvl72", "money.options=own"});
  const auto years = plan_years(shipped().catalog(), plan, 3);
  ASSERT_FALSE(years);
  EXPECT_EQ(years.error().code, lf::kUsage);
  EXPECT_NE(years.error().message.find("announced for 2026"), std::string::npos)
      << years.error().message;
}

TEST(PlanYearsTest, ALeadTimeThatADearerRentBridgesCostsMore) {
  const std::vector<std::string> own{"money.options=[own, on-demand]",
                                     "money.rent.on_demand=30 USD/GPU-hour"};
  std::vector<std::string> late = own;
  late.emplace_back("money.own.lead_time=6 months");
  const auto now = years_of("batch-inference", 3, own);
  const auto then = years_of("batch-inference", 3, late);
  EXPECT_EQ(then.lead, 6);
  ASSERT_TRUE(now.buy_now && then.buy_now && then.wait);
  EXPECT_LT(then.buy_now->money.npv, now.buy_now->money.npv);
}

TEST(PlanYearsTest, WhatIsModelledHasAnIntervalAroundIt) {
  const auto years =
      years_of("chatbot-spiky", 3,
               {"money.tax=21 %", "serve.demand.growth=5 %/month", "money.revenue=1 USD/M tokens"});
  ASSERT_TRUE(years.buy_now && years.wait);
  std::vector<LongRunPlan> plans = years.plans;
  plans.push_back(*years.buy_now);
  plans.push_back(*years.wait);
  for (const LongRunPlan& plan : plans) {
    EXPECT_LT(plan.lowest.npv, plan.money.npv);
    EXPECT_GT(plan.highest.npv, plan.money.npv);
    EXPECT_LT(plan.lowest.cash, plan.money.cash);
    EXPECT_GT(plan.highest.cash, plan.money.cash);
    for (std::size_t i = 0; i < plan.money.years.size(); ++i) {
      EXPECT_LT(plan.lowest.years[i].cost, plan.money.years[i].cost);
      EXPECT_GT(plan.highest.years[i].cost, plan.money.years[i].cost);
      EXPECT_LT(plan.lowest.years[i].cash, plan.money.years[i].cash);
      EXPECT_GT(plan.highest.years[i].cash, plan.money.years[i].cash);
      EXPECT_EQ(plan.lowest.years[i].revenue, plan.money.years[i].revenue) << "it is stated";
    }
  }
}

TEST(PlanYearsTest, NineOfTenPuesLieWithinTheEndsOfEnergy) {
  constexpr double kVariation = 0.1;
  const auto years =
      years_of("chatbot-spiky", 1, {"money.own.pue=1.5", "money.uncertainty.pue=0.1"});
  ASSERT_FALSE(years.plans.empty());
  const auto shape = lognormal_shape(1, kVariation);
  int compared = 0;
  for (const LongRunPlan& plan : years.plans) {
    const Joules middle = plan.money.years[0].energy;
    if (middle <= Joules()) continue;
    ++compared;
    const auto below = [&](Joules energy) {
      return normal_probability((std::log(energy / middle) - shape.mu) / shape.sigma);
    };
    EXPECT_NEAR(below(plan.lowest.years[0].energy), 0.05, 1e-9);
    EXPECT_NEAR(below(plan.highest.years[0].energy), 0.95, 1e-9);
  }
  EXPECT_GE(compared, 3);
}

TEST(PlanYearsTest, WhatIsRentedDrawsPowerWhetherOrNotOwningIsAsked) {
  const auto energy_of = [](const char* options) {
    const auto years = years_of("chatbot-spiky", 1, {options});
    const auto* way = way_of(years, OptionKind::kReserved1y, "h100-sxm");
    EXPECT_NE(way, nullptr) << options;
    return way != nullptr ? way->money.years[0].energy : Joules();
  };
  const Joules beside = energy_of("money.options=[own, reserved-1y]");
  EXPECT_GT(beside, Joules());
  EXPECT_EQ(energy_of("money.options=[reserved-1y]"), beside);
}

TEST(PlanYearsTest, NoPueIsBelowOne) {
  const auto years =
      years_of("chatbot-spiky", 1, {"money.own.pue=1.05", "money.uncertainty.pue=0.2"});
  int compared = 0;
  for (const LongRunPlan& plan : years.plans) {
    if (plan.money.years[0].energy <= Joules()) continue;
    ++compared;
    EXPECT_NEAR(plan.lowest.years[0].energy / plan.money.years[0].energy, 1 / 1.05, 1e-9);
  }
  EXPECT_GE(compared, 3);
}

TEST(PlanYearsTest, ARunIsNotPlannedForYears) {
  const PlanAnswer plan = verdict(scenario("finetune-8b"));
  const auto years = plan_years(shipped().catalog(), plan, 3);
  ASSERT_FALSE(years);
  EXPECT_EQ(years.error().code, lf::kUsage);
}

}  // namespace
}  // namespace loadfactor::engine
