// Other machines for the same work, how sure the inputs are, and prices that nobody has heard of.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "economics/porting.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using testing::fact;
using testing::per_hour;
using testing::terms_of;

testing::Terms beside(const std::string& other) {
  return terms_of({"money.alternatives=[{name: other, " + other + "}]", "money.horizon=4 years"});
}

const economics::Alternative& other(const testing::Terms& terms) {
  return terms->terms.alternatives.at(0);
}

TEST(AlternativeTermsTest, APriceForEverythingIsTaken) {
  const auto terms =
      beside("all_in: 1.5 USD/GPU-hour, gpus: 6, performance: 0.8, load_factor: 30 %");
  EXPECT_NEAR(per_hour(*other(terms).all_in), 1.5, 1e-12);
  EXPECT_FALSE(other(terms).own);
  EXPECT_EQ(other(terms).gpus, 6);
  EXPECT_DOUBLE_EQ(other(terms).performance, 0.8);
  EXPECT_DOUBLE_EQ(*other(terms).load_factor, 0.3);
  const auto plain = beside("all_in: 1.5 USD/GPU-hour");
  EXPECT_EQ(other(plain).gpus, 0);
  EXPECT_EQ(other(plain).performance, 1);
  EXPECT_FALSE(other(plain).load_factor);
}

TEST(AlternativeTermsTest, WhatIsBoughtIsOnTheTermsOfOurOwnButForWhatItSays) {
  const auto ours = terms_of();
  const auto same = beside("price: 12000 USD");
  EXPECT_EQ(other(same).own->capital.price.base(), 12'000);
  EXPECT_EQ(other(same).own->rated, ours->terms.own->rated);
  EXPECT_EQ(other(same).own->capital.life, ours->terms.own->capital.life);
  const auto apart = beside("price: 12000 USD, life: 3 years, residual: 11 %, power: 700 W");
  EXPECT_DOUBLE_EQ(other(apart).own->capital.life / kYear, 3);
  EXPECT_DOUBLE_EQ(other(apart).own->capital.residual, 0.11);
  EXPECT_EQ(other(apart).own->rated.base(), 700);
  // Where nothing is owned, it lasts as long as costs are counted.
  const auto rented = terms_of({"money.alternatives=[{name: other, price: 12000 USD}]",
                                "money.horizon=4 years", "money.options=[on-demand]"});
  EXPECT_DOUBLE_EQ(other(rented).own->capital.life / kYear, 4);
}

TEST(AlternativeTermsTest, AChipCostsWhatOwningItIsPublishedToCostElseItsRent) {
  const auto published = beside("hardware: mi300x");
  const auto& rows = testing::market().prices().ownership;
  const auto dearer = std::find_if(rows.begin(), rows.end(), [](const auto& row) {
    return row.accelerator == "mi300x" && row.tier == "neocloud";
  });
  ASSERT_NE(dearer, rows.end());
  EXPECT_EQ(*other(published).all_in, of_one(dearer->price));
  const auto rented = beside("hardware: plain-card");
  EXPECT_NEAR(per_hour(*other(rented).all_in), 1, 1e-9);
  const auto unknown = beside("hardware: arc-b60");
  EXPECT_FALSE(other(unknown).all_in);
  EXPECT_EQ(unknown.unpriced("other"), lf::kPriceNotFound);
}

TEST(AlternativeTermsTest, AMachineWithoutAPriceOrAKnownChipIsRefused) {
  EXPECT_EQ(beside("gpus: 8").code(), lf::kPriceNotFound);
  EXPECT_NE(beside("hardware: no-such-chip-at-all").code(), 0);
}

// Five engineers for half a year at 14,600 USD a month; validation; three months of delay.
TEST(AlternativeTermsTest, MovingCostsItsPeopleItsProofAndItsDelay) {
  const auto terms = beside(
      "all_in: 1 USD/GPU-hour, porting: {cost: 1000 USD, engineers: 5, effort: 6 months, salary: "
      "14600 USD/month, validation: 2000 USD, upkeep: 730 USD/month, delay: 3 months, delay_cost: "
      "1460 USD/month}");
  EXPECT_NEAR(other(terms).move.base(), 1000 + 5 * 6 * 14'600 + 2000 + 3 * 1460, 1e-6);
  EXPECT_NEAR(per_hour(other(terms).upkeep), 1, 1e-12);
  EXPECT_DOUBLE_EQ(other(terms).delay / kMonth, 3);
  const auto none = beside("all_in: 1 USD/GPU-hour");
  EXPECT_EQ(other(none).move.base(), 0);
  EXPECT_EQ(beside("all_in: 1 USD/GPU-hour, porting: {delay: 48 months}").code(), lf::kOutOfRange);
  EXPECT_EQ(beside("all_in: 1 USD/GPU-hour, porting: {delay: 47 months}").code(), 0);
}

TEST(AlternativeTermsTest, SpreadsAreAsWrittenElseAsPredictedElseAsUsual) {
  const auto at = [](const testing::Terms& terms, economics::Factor factor) {
    return terms->plan.variations.at(static_cast<std::size_t>(factor));
  };
  using economics::Factor;
  const auto usual = terms_of();
  EXPECT_DOUBLE_EQ(at(usual, Factor::kRate), fact("uncertainty", "rate"));
  EXPECT_DOUBLE_EQ(at(usual, Factor::kRent), fact("uncertainty", "rent"));
  EXPECT_DOUBLE_EQ(at(usual, Factor::kResidual), fact("uncertainty", "residual"));
  const auto written = terms_of(
      {"money.uncertainty={rent: 1 %, capital: 2 %, residual: 3 %, electricity: 4 %, pue: 5 %, "
       "rate: 6 %, load_factor: 7 %, api: 8 %}"});
  const Factor factors[] = {Factor::kRent,        Factor::kCapital, Factor::kResidual,
                            Factor::kElectricity, Factor::kPue,     Factor::kRate,
                            Factor::kLoad,        Factor::kApiPrice};
  double share = 0.01;
  for (const Factor factor : factors) {
    EXPECT_NEAR(at(written, factor), share, 1e-12);
    share += 0.01;
  }
  CostInputs known;
  known.capacity.emplace();
  known.capacity->gpus = 8;
  known.capacity->full_plane = TokensPerSecond::from_base(8000);
  known.capacity->load_factor = 0.4;
  known.capacity->variation = 0.33;
  const auto predicted =
      terms_of({}, known,
               "loadfactor: 1\nname: x\nhardware: [plain-module]\nserve: {model: llama-3.1-8b}\n");
  EXPECT_DOUBLE_EQ(at(predicted, Factor::kRate), 0.33);
  EXPECT_DOUBLE_EQ(at(predicted, Factor::kRent), fact("uncertainty", "rent"));
}

// Known rents of the module are from 1.2 to 6 dollars, its prices from 14,000 to 20,000.
TEST(AlternativeTermsTest, APriceThreeTimesBeyondAllThatAreKnownIsQuestioned) {
  const auto questioned = [](const std::string& key) {
    return terms_of({key}).notes("unheard-of-price");
  };
  EXPECT_FALSE(questioned("money.rent.on_demand=0.41 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.on_demand=0.39 USD/GPU-hour"));
  EXPECT_FALSE(questioned("money.rent.on_demand=17.9 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.on_demand=18.1 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.spot=0.1 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.reserved_1y=0.1 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.reserved_3y=0.1 USD/GPU-hour"));
  EXPECT_FALSE(questioned("money.own.price=59000 USD"));
  EXPECT_TRUE(questioned("money.own.price=61000 USD"));
  EXPECT_FALSE(questioned("money.own.price=4700 USD"));
  EXPECT_TRUE(questioned("money.own.price=4600 USD"));
  EXPECT_FALSE(questioned("money.electricity=0.1 USD/kWh"));
  EXPECT_TRUE(questioned("money.electricity=2 USD/kWh"));
  EXPECT_TRUE(questioned("money.electricity=0.001 USD/kWh"));
}

TEST(AlternativeTermsTest, AChipThatNobodyPricesIsHeldAgainstTheWholeMarket) {
  const auto questioned = [](const std::string& key) {
    return terms_of({"hardware=[arc-b60]", key}).notes("unheard-of-price");
  };
  EXPECT_FALSE(questioned("money.rent.on_demand=2 USD/GPU-hour"));
  EXPECT_TRUE(questioned("money.rent.on_demand=900 USD/GPU-hour"));
  EXPECT_FALSE(questioned("money.own.price=20000 USD"));
}

}  // namespace
}  // namespace loadfactor::engine
