#include "economics/unit_cost.h"

#include <utility>

#include <gtest/gtest.h>

namespace loadfactor::economics {
namespace {

using namespace literals;
using catalog::RentTerm;

catalog::RentPrice quote(std::string provider, double dollars_per_hour) {
  catalog::RentPrice price;
  price.provider = std::move(provider);
  price.accelerator = "toy";
  price.price = DollarsPerGpuSecond::from_base(dollars_per_hour / 3600.0);
  price.provenance.kind = catalog::SourceKind::kPublished;
  price.provenance.sources = {"toy-lab"};
  return price;
}

double hourly(const EstimateOf<DollarsPerGpuSecond>& rent) {
  return rent.value().base() * 3600.0;
}

TEST(UnitCost, TheMarketsQuoteWinsAndTheOthersSpanTheInterval) {
  catalog::PriceBook book;
  book.rent = {quote("a", 1.0), quote("market", 3.0), quote("b", 5.0)};
  const auto rent = find_rent(book, "toy", RentTerm::kOnDemand);
  ASSERT_TRUE(rent);
  EXPECT_DOUBLE_EQ(hourly(*rent), 3.0);
  EXPECT_DOUBLE_EQ(rent->low().base() * 3600.0, 1.0);
  EXPECT_DOUBLE_EQ(rent->high().base() * 3600.0, 5.0);
}

TEST(UnitCost, WithoutAMarketTheMiddleQuoteStands) {
  catalog::PriceBook book;
  book.rent = {quote("a", 9.0), quote("b", 2.0), quote("c", 4.0)};
  EXPECT_DOUBLE_EQ(hourly(*find_rent(book, "toy", RentTerm::kOnDemand)), 4.0);
}

TEST(UnitCost, WhatNobodyOffersHasNoPrice) {
  catalog::PriceBook book;
  book.rent = {quote("a", 9.0)};
  EXPECT_FALSE(find_rent(book, "toy", RentTerm::kSpot));
  EXPECT_FALSE(find_rent(book, "other", RentTerm::kOnDemand));
}

TEST(UnitCost, WhereNobodyOffersATermTheClosestOneStandsAndIsCalledAssumed) {
  catalog::PriceBook book;
  book.rent = {quote("a", 2.0)};
  book.rent[0].term = RentTerm::kReserved3y;
  const auto rent = find_offered_rent(book, "toy", RentTerm::kOnDemand);
  ASSERT_TRUE(rent);
  EXPECT_DOUBLE_EQ(hourly(rent->rent), 2.0);
  EXPECT_EQ(rent->term, RentTerm::kReserved3y);
  EXPECT_EQ(rent->rent.basis(), Basis::kAssumed);
  book.rent.push_back(quote("b", 5.0));
  EXPECT_DOUBLE_EQ(hourly(find_offered_rent(book, "toy", RentTerm::kOnDemand)->rent), 5.0);
  EXPECT_DOUBLE_EQ(hourly(find_offered_rent(book, "toy", RentTerm::kSpot)->rent), 5.0);
  EXPECT_DOUBLE_EQ(hourly(find_offered_rent(book, "toy", RentTerm::kReserved1y)->rent), 2.0);
  EXPECT_FALSE(find_offered_rent(book, "other", RentTerm::kOnDemand));
}

TEST(UnitCost, TenGpusForTwoHoursAtThreeDollarsAreSixtyDollars) {
  catalog::PriceBook book;
  book.rent = {quote("market", 3.0)};
  const auto time = EstimateOf<Seconds>::exact(2_hours, Basis::kModelled, "clock");
  const auto cost = rent_cost(*find_rent(book, "toy", RentTerm::kOnDemand), 10, time);
  EXPECT_NEAR(cost.value().base(), 60.0, 1e-9);
}

}  // namespace
}  // namespace loadfactor::economics
