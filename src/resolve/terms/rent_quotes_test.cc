// Which quote stands for a rent, and what quotes say of each other.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using catalog::RentTerm;
using testing::terms_of;

catalog::RentPrice quote(const std::string& provider, const std::string& region, double price,
                         RentTerm term = RentTerm::kOnDemand, const std::string& chip = "chip") {
  catalog::RentPrice row;
  row.provider = provider;
  row.accelerator = chip;
  row.region = region;
  row.term = term;
  row.price = DollarsPerGpuSecond::from_base(price);
  return row;
}

double found(const std::vector<catalog::RentPrice>& rows, const std::string& provider = "",
             const std::string& region = "") {
  catalog::PriceBook book;
  book.rent = rows;
  const auto* row = find_rent(book, "chip", RentTerm::kOnDemand, provider, region);
  return row == nullptr ? 0 : row->price.base();
}

TEST(RentQuotesTest, TheMiddleQuoteStandsForAMarketWithoutARowOfItsOwn) {
  EXPECT_EQ(found({quote("a", "any", 9), quote("b", "any", 1), quote("c", "any", 4)}), 4);
  EXPECT_EQ(found({quote("a", "any", 9), quote("b", "any", 1)}), 9);  // The upper of two.
  EXPECT_EQ(found({}), 0);
}

TEST(RentQuotesTest, TheRowOfTheMarketGoesBeforeTheMiddle) {
  const std::vector<catalog::RentPrice> rows = {quote("a", "any", 1), quote("market", "any", 7),
                                                quote("b", "any", 2)};
  EXPECT_EQ(found(rows), 7);
  EXPECT_EQ(found(rows, "b"), 2);
  EXPECT_EQ(found(rows, "nobody"), 0);
}

TEST(RentQuotesTest, QuotesOfOtherChipsAndTermsAreNotMeant) {
  EXPECT_EQ(found({quote("a", "any", 1, RentTerm::kSpot), quote("a", "any", 5),
                   quote("a", "any", 2, RentTerm::kOnDemand, "other")}),
            5);
}

TEST(RentQuotesTest, QuotesOfTheRegionGoBeforeAllOthers) {
  const std::vector<catalog::RentPrice> rows = {quote("market", "any", 7), quote("a", "here", 3),
                                                quote("b", "there", 5)};
  EXPECT_EQ(found(rows, "", "here"), 3);
  EXPECT_EQ(found(rows, "", "nowhere"), 7);
  EXPECT_EQ(found(rows, "", ""), 7);
  EXPECT_EQ(found(rows, "b", "here"), 5);  // The provider has none here.
  catalog::PriceBook book;
  book.rent = rows;
  EXPECT_TRUE(has_rent_in(book, "chip", "here"));
  EXPECT_FALSE(has_rent_in(book, "chip", "nowhere"));
  EXPECT_FALSE(has_rent_in(book, "other", "here"));
}

TEST(RentQuotesTest, ARegionOfTheScenarioChoosesItsQuotes) {
  const auto anywhere = terms_of();
  // The middle of 2, 3, 4 and 5 dollars, the upper of two.
  EXPECT_NEAR(testing::per_hour(anywhere.rent(OptionKind::kOnDemand)->price), 4, 1e-9);
  const auto texas = terms_of({"money.region=us-texas"});
  EXPECT_NEAR(testing::per_hour(texas.rent(OptionKind::kOnDemand)->price), 2, 1e-9);
}

TEST(RentQuotesTest, RatiosToThePriceOnDemandAreOfSellersThatQuoteBoth) {
  const auto terms = terms_of();
  EXPECT_EQ(quoted_ratios(*terms, OptionKind::kReserved1y).size(), 1U);
  EXPECT_NEAR(quoted_ratios(*terms, OptionKind::kReserved1y)[0], 2.4 / 3, 1e-12);
  auto spot = quoted_ratios(*terms, OptionKind::kSpot);
  std::sort(spot.begin(), spot.end());
  ASSERT_EQ(spot.size(), 2U);
  EXPECT_NEAR(spot[0], 1.2 / 3, 1e-12);
  EXPECT_NEAR(spot[1], 6.0 / 5, 1e-12);
  EXPECT_TRUE(quoted_ratios(*terms, OptionKind::kReserved3y).empty());
  EXPECT_TRUE(quoted_ratios(*terms, OptionKind::kOwn).empty());
}

TEST(RentQuotesTest, ARentOverThatOnDemandIsOfThePricesThatArePaid) {
  const auto terms =
      terms_of({"money.rent.on_demand=5 USD/GPU-hour", "money.rent.reserved_1y=4 USD/GPU-hour",
                "money.options=[on-demand, reserved-1y]"});
  EXPECT_NEAR(*rent_over_on_demand(*terms, OptionKind::kReserved1y), 0.8, 1e-12);
  EXPECT_FALSE(rent_over_on_demand(*terms, OptionKind::kOnDemand));
  EXPECT_FALSE(rent_over_on_demand(*terms, OptionKind::kReserved3y));  // Not rented.
  EXPECT_FALSE(rent_over_on_demand(*terms, OptionKind::kOwn));
  const auto alone = terms_of({"hardware=[arc-b60]", "money.rent.reserved_1y=4 USD/GPU-hour"});
  EXPECT_FALSE(rent_over_on_demand(*alone, OptionKind::kReserved1y));  // Over nothing.
}

}  // namespace
}  // namespace loadfactor::engine
