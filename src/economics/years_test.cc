#include "economics/years.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/calendar.h"

namespace loadfactor::economics {
namespace {

Dollars usd(double amount) {
  return Dollars::from_base(amount);
}

// Rented machines of the day, tokens, or machines that are owned.
LongWay rented(int months, double rent) {
  LongWay way;
  way.months.assign(static_cast<std::size_t>(months), {.gpus = 8, .floating = usd(rent)});
  return way;
}
LongWay owned(int months, double gpus, double price, double running) {
  LongWay way;
  way.capital = {.price = usd(price), .residual = 0.2, .discount = 0, .life = kYear * 4};
  way.months.assign(static_cast<std::size_t>(months),
                    {.gpus = gpus, .owned = gpus, .running = usd(running)});
  return way;
}

double sum_of(const YearsResult& result, Dollars YearBook::*amount) {
  return std::accumulate(
      result.years.begin(), result.years.end(), 0.0,
      [&](double sum, const YearBook& book) { return sum + (book.*amount).base(); });
}

TEST(YearsTest, AYearOfRentIsTwelveMonthsOfIt) {
  const LongWay way = rented(12, 1000);
  const auto result = count_years({&way}, {.discount = 0.1});
  EXPECT_DOUBLE_EQ(result.years[0].cost.base(), 12'000);
  EXPECT_DOUBLE_EQ(result.years[0].cash.base(), -12'000);
  // Month ends, discounted: the annuity.
  const double step = std::pow(1.1, 1.0 / 12) - 1;
  EXPECT_NEAR(result.npv.base(), -1000 * (1 - std::pow(1 + step, -12)) / step, 1e-6);
}

TEST(YearsTest, WithoutADiscountTheNpvIsTheSumOfCash) {
  for (const Depreciation books : {Depreciation::kStraightLine, Depreciation::kMacrs}) {
    LongWay own = owned(36, 8, 30'000, 500);
    for (std::size_t i = 20; i < 36; ++i) own.months[i].owned = own.months[i].gpus = 16;
    const LongWay rent = rented(36, 9000);
    YearTerms terms{.rent = PriceCurve::drifting(-0.1), .tax = 0.21, .depreciation = books};
    terms.macrs = {0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576};
    terms.lead = 4;
    terms.revenue.assign(36, usd(20'000));
    for (const LongPlan& plan :
         {LongPlan{.first = &own, .bridge = &rent}, LongPlan{&rent, &own, 12, &rent},
          LongPlan{&own, &rent, 18, &rent}}) {
      const auto result = count_years(plan, terms);
      const double cash = sum_of(result, &YearBook::cash) - sum_of(result, &YearBook::tax);
      EXPECT_NEAR(result.cash.base(), cash, 1e-6);
      EXPECT_NEAR(result.npv.base(), cash, 1e-6);
    }
  }
}

TEST(YearsTest, PricesOfAYearAreThoseOfItsBeginning) {
  const LongWay rent = rented(36, 1000);
  const auto result = count_years({&rent}, {.rent = PriceCurve::drifting(-0.5)});
  EXPECT_NEAR(result.years[0].operating.base(), 12'000, 1e-9);
  EXPECT_NEAR(result.years[1].operating.base(), 6'000, 1e-9);
  EXPECT_NEAR(result.years[2].operating.base(), 3'000, 1e-9);
  LongWay tokens;
  tokens.months.assign(24, {.tokens = usd(100)});
  const auto api = count_years({&tokens}, {.half_life = kYear});
  EXPECT_NEAR(api.years[1].operating.base(), 600, 1e-9);
}

TEST(YearsTest, AReservationKeepsTheRentOfTheDayItWasSigned) {
  LongWay way;
  way.term = 36;
  way.months.assign(36, {.gpus = 8, .reserved = usd(1000)});
  const auto result = count_years({&way}, {.rent = PriceCurve::drifting(-0.5)});
  for (const YearBook& book : result.years) EXPECT_NEAR(book.operating.base(), 12'000, 1e-9);
}

// 8 GPUs at 30 000; after two of four years 0.2^(2/4) of the price is left.
TEST(YearsTest, WhatIsBoughtIsSoldForWhatIsLeftOfIt) {
  const LongWay own = owned(24, 8, 30'000, 0);
  const auto result = count_years({&own}, {});
  EXPECT_NEAR(result.years[0].purchases.base(), 240'000, 1e-6);
  EXPECT_NEAR(result.years[1].resale.base(), 240'000 * std::sqrt(0.2), 1e-6);
  EXPECT_NEAR(result.cash.base(), -240'000 * (1 - std::sqrt(0.2)), 1e-6);
}

TEST(YearsTest, DepreciationAndWhatTheBooksHaveLeftAreThePrice) {
  const LongWay own = owned(24, 1, 1000, 0);
  const auto line = count_years({&own}, {});
  // A straight line from 1000 to 200 in four years: 200 a year.
  EXPECT_NEAR(line.years[0].depreciation.base(), 200, 1e-9);
  EXPECT_NEAR(line.years[1].depreciation.base(), 200, 1e-9);
  EXPECT_NEAR(line.years[1].disposal.base(), 1000 * std::sqrt(0.2) - 600, 1e-9);
  YearTerms terms{.depreciation = Depreciation::kMacrs};
  terms.macrs = {0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576};
  const auto macrs = count_years({&own}, terms);
  EXPECT_NEAR(macrs.years[0].depreciation.base(), 200, 1e-9);
  EXPECT_NEAR(macrs.years[1].depreciation.base(), 160, 1e-9);  // Half of 32 % in the last year.
  for (const auto& result : {line, macrs})
    EXPECT_NEAR(sum_of(result, &YearBook::profit), result.cash.base(), 1e-9);
}

TEST(YearsTest, TaxIsItsRateOfTheProfitAndASavingOfALoss) {
  const LongWay rent = rented(12, 1000);
  YearTerms terms{.tax = 0.25};
  EXPECT_NEAR(count_years({&rent}, terms).years[0].tax.base(), -3000, 1e-9);
  terms.revenue.assign(12, usd(1500));
  const auto result = count_years({&rent}, terms);
  EXPECT_NEAR(result.years[0].profit.base(), 6000, 1e-9);
  EXPECT_NEAR(result.cash.base(), 4500, 1e-9);
}

TEST(YearsTest, MachinesThatAreNotDeliveredYetAreBridgedAndPaidAtTheOrder) {
  const LongWay own = owned(12, 8, 30'000, 100);
  const LongWay rent = rented(12, 9000);
  const auto result = count_years({.first = &own, .bridge = &rent}, {.lead = 5});
  EXPECT_NEAR(result.years[0].operating.base(), 5 * 9000 + 7 * 100, 1e-9);
  EXPECT_NEAR(result.years[0].purchases.base(), 240'000, 1e-6);
}

TEST(YearsTest, AFleetThatGrowsIsBoughtInPartsAndReplacedWhenItHasLived) {
  LongWay own = owned(60, 8, 1000, 0);
  own.capital.life = kYear * 2;
  for (std::size_t i = 12; i < 60; ++i) own.months[i].owned = 16;
  const auto result = count_years({&own}, {});
  // Eight at 0, 24 and 48 months; eight at 12 and 36.
  const double expected[] = {8000, 8000, 8000, 8000, 8000};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(result.years[i].purchases.base(), expected[i], 1e-6) << i;
}

// Twelve months are signed at 1,000; after six the need is gone, or another way takes over.
TEST(YearsTest, AReservationIsPaidToTheEndOfItsTerm) {
  LongWay reserved{.months = std::vector<WayMonth>(12), .term = 12};
  for (auto& month : reserved.months) month.reserved = usd(1000);
  LongWay shrinking = reserved;
  for (std::size_t i = 6; i < 12; ++i) shrinking.months[i].reserved = usd(0);
  LongWay free{.months = std::vector<WayMonth>(12)};
  for (const auto& result : {count_years({&reserved}, {}), count_years({&shrinking}, {}),
                             count_years({&reserved, &free, 6}, {})})
    EXPECT_NEAR(result.cash.base(), -12'000, 1e-9);
}

TEST(YearsTest, WhatIsReservedLaterHasTheRentOfThatDay) {
  LongWay way{.months = std::vector<WayMonth>(24), .term = 36};
  for (std::size_t i = 0; i < 24; ++i) way.months[i].reserved = usd(i < 12 ? 1000 : 3000);
  const YearTerms terms{.rent = PriceCurve::drifting(-0.5)};
  const auto result = count_years({&way}, terms);
  EXPECT_NEAR(result.years[1].operating.base(), 12 * (1000 + 2000 * terms.rent.at(kYear)), 1e-6);
}

TEST(YearsTest, MachinesThatAreNoLongerNeededAreNotReplaced) {
  LongWay own{.months = std::vector<WayMonth>(24), .capital = {.price = usd(100), .life = kYear}};
  for (std::size_t i = 0; i < 24; ++i) own.months[i].owned = i < 6 ? 8 : 2;
  const auto result = count_years({&own}, {});
  EXPECT_NEAR(result.years[0].purchases.base(), 800, 1e-9);
  EXPECT_NEAR(result.years[1].purchases.base(), 200, 1e-9);
}

TEST(YearsTest, WaitingForABetterGenerationPaysWhereItIsMuchBetter) {
  const LongWay own = owned(36, 8, 30'000, 500);
  const LongWay rent = rented(36, 6000);
  const auto cash = [&](double gain) {
    const YearTerms terms{.gain = gain, .gain_from = 6};
    return count_years({&rent, &own, 6, &rent}, terms).cash -
           count_years({.first = &own, .bridge = &rent}, terms).cash;
  };
  EXPECT_LT(cash(1), Dollars());
  EXPECT_GT(cash(3), Dollars());
}

}  // namespace
}  // namespace loadfactor::economics
