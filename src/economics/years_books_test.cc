// Years of buying late, selling early and signing again, month by month by hand.
#include <cmath>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "economics/years.h"

namespace loadfactor::economics {
namespace {

Dollars usd(double amount) {
  return Dollars::from_base(amount);
}

LongWay rented(int months, double rent) {
  LongWay way;
  way.months.assign(static_cast<std::size_t>(months), {.gpus = 8, .floating = usd(rent)});
  return way;
}

// Eight machines of 1,000 USD from a month on, of which a fifth is left after four years.
LongWay owned_from(int month, int months) {
  LongWay way;
  way.capital = {.price = usd(1000), .residual = 0.2, .discount = 0, .life = kYear * 4};
  way.months.assign(static_cast<std::size_t>(months), {});
  for (int i = month; i < months; ++i)
    way.months[static_cast<std::size_t>(i)].gpus = way.months[static_cast<std::size_t>(i)].owned =
        8;
  return way;
}

TEST(YearsBooksTest, MachinesBoughtLaterCostWhatTheyCostThenAndAreSoldForTheirAge) {
  const LongWay way = owned_from(12, 24);
  const auto result = count_years({&way}, {.rent = PriceCurve::drifting(-0.1)});
  EXPECT_NEAR(result.years[1].purchases.base(), 8000 * 0.9, 1e-6);
  // A quarter of a life old, at prices that fell by another tenth.
  const double resale = 8000 * 0.9 * std::pow(0.2, 0.25) * 0.9;
  EXPECT_NEAR(result.years[1].resale.base(), resale, 1e-6);
  EXPECT_NEAR(result.years[1].depreciation.base(), 8000 * 0.9 * 0.8 / 4, 1e-6);
  EXPECT_NEAR(result.years[1].disposal.base(), resale - 8000 * 0.9 * (1 - 0.8 / 4), 1e-6);
  EXPECT_DOUBLE_EQ(result.years[0].purchases.base(), 0);
}

TEST(YearsBooksTest, AnOrderIsPaidAsManyMonthsBeforeAsDeliveryTakes) {
  const LongWay way = owned_from(14, 24);
  const auto result = count_years({&way}, {.lead = 4});
  EXPECT_DOUBLE_EQ(result.years[0].purchases.base(), 8000);
  EXPECT_DOUBLE_EQ(result.years[1].purchases.base(), 0);
}

TEST(YearsBooksTest, WhatIsSoldAtTheEndOfAYearIsInItsBooks) {
  const LongWay own = owned_from(0, 24);
  const LongWay rent = rented(24, 100);
  const auto result = count_years({&own, &rent, 12}, {});
  EXPECT_NEAR(result.years[0].resale.base(), 8000 * std::pow(0.2, 0.25), 1e-6);
  EXPECT_DOUBLE_EQ(result.years[1].resale.base(), 0);
  EXPECT_DOUBLE_EQ(result.years[1].operating.base(), 1200);
}

TEST(YearsBooksTest, ByMacrsAMachineIsWrittenOffFromTheYearItWasBought) {
  const LongWay way = owned_from(12, 36);
  YearTerms terms{.depreciation = Depreciation::kMacrs};
  terms.macrs = {0.2, 0.32, 0.192};
  const auto result = count_years({&way}, terms);
  EXPECT_DOUBLE_EQ(result.years[0].depreciation.base(), 0);
  EXPECT_NEAR(result.years[1].depreciation.base(), 8000 * 0.2, 1e-9);
  EXPECT_NEAR(result.years[2].depreciation.base(), 8000 * 0.32 / 2, 1e-9);  // The year of the sale.
}

TEST(YearsBooksTest, AReservationThatEndsIsSignedAgainAtTheRentOfTheDay) {
  LongWay way;
  way.months.assign(24, {.gpus = 8, .reserved = usd(100)});
  way.term = 12;
  const auto result = count_years({&way}, {.rent = PriceCurve::drifting(-0.1)});
  EXPECT_NEAR(result.years[0].operating.base(), 1200, 1e-9);
  EXPECT_NEAR(result.years[1].operating.base(), 1200 * 0.9, 1e-9);
}

TEST(YearsBooksTest, PeopleRunningAndEnergyAreCountedMonthByMonth) {
  LongWay way;
  way.months.assign(12, {.gpus = 8,
                         .running = usd(1),
                         .fixed = usd(10),
                         .floating = usd(100),
                         .tokens = usd(1000),
                         .energy = Joules::from_base(7)});
  const auto result = count_years({&way}, {});
  EXPECT_DOUBLE_EQ(result.years[0].operating.base(), 12 * 1111);
  EXPECT_DOUBLE_EQ(result.years[0].energy.base(), 12 * 7);
}

TEST(YearsBooksTest, TaxIsPaidAtTheEndOfEachYear) {
  LongWay way;
  way.months.assign(24, {});
  YearTerms terms{.discount = 0.1, .tax = 0.25};
  terms.revenue.assign(24, usd(100));
  double worth = 0;
  for (int month = 1; month <= 24; ++month) worth += 100 * std::pow(1.1, -month / 12.0);
  worth -= 300 / 1.1 + 300 / (1.1 * 1.1);
  EXPECT_NEAR(count_years({&way}, terms).npv.base(), worth, 1e-9);
}

TEST(YearsBooksTest, WhatIsRentedWaitsForNoDelivery) {
  const LongWay way = rented(12, 100), bridge = rented(12, 700);
  EXPECT_FALSE(way.owns());
  const auto result = count_years({&way, nullptr, 0, &bridge}, {.lead = 4});
  EXPECT_DOUBLE_EQ(result.years[0].operating.base(), 1200);
}

}  // namespace
}  // namespace loadfactor::economics
