// Ways to pay, one at a time: sums to check in the head.
#include "economics/evaluate.h"

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "economics/capital.h"
#include "economics/testing/rented_case.h"

namespace loadfactor::economics {
namespace {

using testing::hourly;

double per_hour(DollarsPerSecond rate) {
  return (rate * kHour).base();
}

// At 3 USD an hour.
CostCase rented() {
  return testing::rented_case(3);
}

TEST(EvaluateTest, AnAlternativeIsPaidForItsDelayItsMoveAndItsOwnLoad) {
  CostCase terms = rented();
  terms.people = hourly(1);
  Alternative other;
  other.all_in = hourly(2);
  other.performance = 0.5;
  other.load_factor = 0.8;
  other.delay = kYear / 5.0;
  other.upkeep = hourly(3);
  other.move = Dollars::from_base(kYear / kHour);  // A dollar for every hour of the year.
  terms.alternatives.push_back(other);
  const CostFigures figures = evaluate(terms, bit(OptionKind::kAlternative));
  const OptionFigures* found = figures.find(OptionKind::kAlternative);
  ASSERT_NE(found, nullptr);
  // The work of 3.2 full GPUs takes 3.2 / (0.5 × 0.8) of these.
  EXPECT_DOUBLE_EQ(found->gpus, 8);
  EXPECT_NEAR(per_hour(found->cost), 8 * 2 / 0.8 + 3 + 1 + 1, 1e-9);
  EXPECT_NEAR(found->full_plane.base(), 8000 * 8 * 0.5 / 8, 1e-6);
}

TEST(EvaluateTest, AManagedPlatformIsItsSurchargeAndOnlyWhereItIsAskedFor) {
  CostCase terms = rented();
  terms.managed_surcharge = 0.5;
  const CostFigures managed = evaluate(terms, bit(OptionKind::kManaged));
  ASSERT_NE(managed.find(OptionKind::kManaged), nullptr);
  EXPECT_NEAR(per_hour(managed.find(OptionKind::kManaged)->cost), 8 * 3 * 1.5, 1e-9);
  EXPECT_EQ(evaluate(terms, bit(OptionKind::kOnDemand)).find(OptionKind::kManaged), nullptr);
}

TEST(EvaluateTest, ARentHasItsSurchargeSupportAndLostHoursInIt) {
  CostCase terms = rented();
  terms.rent[0]->surcharge = 0.5;
  terms.rent[0]->support = 0.1;
  terms.rent[0]->goodput_loss = 0.05;
  EXPECT_NEAR(per_hour(*effective_rent(terms, OptionKind::kOnDemand)), 3 * 1.5 * 1.15, 1e-9);
  EXPECT_FALSE(effective_rent(terms, OptionKind::kSpot).has_value());
}

TEST(EvaluateTest, WithoutAnApiNothingIsPaidByTheToken) {
  EXPECT_FALSE(api_price_of_full_plane(rented()).has_value());
}

TEST(CapitalTest, DebtIsCheaperByItsTax) {
  const Financing financing{.debt_share = 0.4, .debt_rate = 0.05, .equity_rate = 0.1, .tax = 0.25};
  EXPECT_NEAR(weighted_cost_of_capital(financing), 0.6 * 0.1 + 0.4 * 0.05 * 0.75, 1e-12);
}

}  // namespace
}  // namespace loadfactor::economics
