// Laws of whole evaluations: what must hold between options, draws and closed forms.
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "base/quantity_text.h"
#include "base/random.h"
#include "economics/capital.h"
#include "economics/evaluate.h"
#include "economics/price_path.h"
#include "economics/testing/lognormal_product.h"
#include "economics/testing/rented_case.h"
#include "economics/uncertainty.h"

namespace loadfactor::economics {
namespace {

using namespace loadfactor::literals;

constexpr OptionSet kAll = ~OptionSet{0};

using testing::hourly;

CostCase rented_case() {
  return testing::rented_case(3.55);
}

TEST(DrawsTest, TheMedianOfAWholeScenarioIsWithinAPercentOfTheClosedForm) {
  const CostCase terms = rented_case();
  DrawPlan plan;
  plan.variations[static_cast<std::size_t>(Factor::kRent)] = 0.2;
  plan.variations[static_cast<std::size_t>(Factor::kRate)] = 0.15;
  plan.draws = 20'000;
  const auto spread = simulate(terms, kAll, plan).options[0];
  // Rent over tokens: 3.55 USD/h for 400 tokens/s per GPU, in dollars per token.
  const std::vector<LognormalFactor> factors{{1, 0.2, 1}, {1, 0.15, -1}};
  const auto closed = lognormal_product(3.55 / 3600 / 400, factors);
  EXPECT_NEAR(spread.per_work_p50 / closed.quantile(0.5), 1.0, 0.01);
  EXPECT_NEAR(spread.per_work_low / closed.quantile(0.05), 1.0, 0.01);
  EXPECT_NEAR(spread.per_work_high / closed.quantile(0.95), 1.0, 0.01);
}

TEST(DrawsTest, OddsAddUpToOneAndKnowingMoreIsNeverWorthLess) {
  CostCase terms = rented_case();
  terms.own_all_in = hourly(3.4);
  terms.api = ApiTerms{.input = DollarsPerToken::from_base(2.4e-6),
                       .cached = DollarsPerToken::from_base(2.4e-6),
                       .output = DollarsPerToken::from_base(2.4e-6)};
  DrawPlan plan;
  plan.variations = {0.2, 0.1, 0, 0, 0, 0.15, 0.3, 0.2};
  const auto spreads = simulate(terms, kAll, plan);
  double wins = 0;
  for (const auto& option : spreads.options) wins += option.wins;
  EXPECT_NEAR(wins, 1.0, 1e-9);
  for (const double worth : spreads.value_of_knowing) {
    EXPECT_GE(worth, 0);
    EXPECT_LE(worth, spreads.value_of_knowing_all * (1 + 1e-9));
  }
  EXPECT_GT(spreads.value_of_knowing_all, 0);
}

TEST(SpotTest, WaitingCostsWhereDelayDoes) {
  CostCase terms = rented_case();
  terms.rent[3] = RentTerms{.price = hourly(1)};
  terms.spot = {.hazard = 0.01 / kHour, .loss = kHour, .gang = 10, .wait = kHour};
  const auto free = *evaluate(terms, kAll).find(OptionKind::kSpot);
  // 10 nodes × 0.01 per hour × 1 h: a tenth more is paid, and 1/11 of the time is waited.
  EXPECT_NEAR(free.cost / hourly(1), 8 * 1.1, 1e-9);
  terms.delay = hourly(110);
  const auto late = *evaluate(terms, kAll).find(OptionKind::kSpot);
  EXPECT_NEAR((late.cost - free.cost) / hourly(1), 10.0, 1e-9);
}

TEST(CapitalTest, AMachineSoldEarlyFetchesMore) {
  const CapitalTerms terms{.price = 40000_USD, .residual = 0.25, .life = kYear * 4};
  EXPECT_DOUBLE_EQ(residual_when_sold(terms, kYear * 4), 0.25);
  EXPECT_DOUBLE_EQ(residual_when_sold(terms, kYear * 2), 0.5);  // √0.25.
  EXPECT_DOUBLE_EQ(residual_when_sold(terms, kYear * 9), 0.25);
  EXPECT_DOUBLE_EQ(residual_when_sold({.residual = 0, .life = kYear * 4}, kYear), 0.75);
}

TEST(PricePathTest, AMonthKeepsThePriceItBeganWith) {
  const auto curve = PriceCurve::monthly({0.9, 0.8, 0.7});
  EXPECT_DOUBLE_EQ(curve.at(Seconds()), 1.0);
  EXPECT_DOUBLE_EQ(curve.at(kMonth), 0.9);
  EXPECT_DOUBLE_EQ(curve.at(kMonth * 3), 0.7);
  EXPECT_DOUBLE_EQ(curve.at(kMonth * 30), 0.7);
}

TEST(PricePathTest, AResidualFollowsTheRentAndStaysAShare) {
  EXPECT_DOUBLE_EQ(residual_on_path(0.2, 0.5), 0.1);
  EXPECT_DOUBLE_EQ(residual_on_path(0.8, 2.0), 1.0);
}

double parsed(const char* text, Dimension dimension) {
  const auto value = parse_quantity(text, dimension);
  EXPECT_TRUE(value) << text;
  return value ? value->value : 0.0;
}

TEST(UnitLawsTest, UnitsThatMeanTheSameReadTheSame) {
  constexpr Dimension kPrice{.money = 1, .token = -1};
  const double million = parsed("0.88 USD/M tokens", kPrice);
  EXPECT_NEAR(million * 1e6, 0.88, 1e-12);
  EXPECT_NEAR(parsed("0.00000088 USD/token", kPrice) / million, 1.0, 1e-12);
  const Dimension rate = any(BytesPerSecond()).dimension;
  EXPECT_NEAR(parsed("400 Gb/s", rate) / parsed("50 GB/s", rate), 1.0, 1e-12);
  const Dimension size = any(Bytes()).dimension;
  EXPECT_NEAR(parsed("80 GiB", size) / parsed("85.89934592 GB", size), 1.0, 1e-12);
  EXPECT_NEAR(parsed("1 GB", size) / parsed("1 GiB", size), 1e9 / 1073741824.0, 1e-12);
}

}  // namespace
}  // namespace loadfactor::economics
