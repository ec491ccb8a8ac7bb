// What owning a machine is taken to cost: as written, else as the catalogue has it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "economics/capital.h"
#include "resolve/terms/machine_draw.h"
#include "resolve/terms/testing/market.h"

namespace loadfactor::engine {
namespace {

using testing::fact;
using testing::terms_of;

double per_kwh(DollarsPerJoule price) {
  return price.base() * 3.6e6;
}

const economics::OwnerTerms& owner(const testing::Terms& terms) {
  return terms->terms.own.value();
}

TEST(OwningTermsTest, ABoxIsSharedByItsGpusWithWhatAClusterNeedsBeside) {
  const auto terms = terms_of();
  const double beside = 1 + fact("hidden_capex", "optics-cables-switches-insurance");
  EXPECT_DOUBLE_EQ(owner(terms).capital.price.base(), 80'000 / 4.0 * beside);
  EXPECT_DOUBLE_EQ(owner(terms).rated.base(), 4000 / 4.0);
  EXPECT_DOUBLE_EQ(owner(terms).idle_share, 600 / 3000.0);
  EXPECT_DOUBLE_EQ(owner(terms).electrical_load, fact("electrical_load", "training-node"));
  EXPECT_DOUBLE_EQ(owner(terms).pue, fact("pue", "new-large-site"));
  EXPECT_DOUBLE_EQ(owner(terms).maintenance, fact("maintenance", "hardware"));
  EXPECT_DOUBLE_EQ(testing::per_hour(owner(terms).staff), fact("staff_price", "per-gpu"));
  EXPECT_EQ(owner(terms).insurance, 0);
  EXPECT_EQ(owner(terms).availability, 1);
  EXPECT_FALSE(terms.notes("power-of-chip-alone"));
}

TEST(OwningTermsTest, ACardCostsItsPriceAndDrawsItsRating) {
  const auto terms = terms_of({"hardware=[plain-card]"});
  const double beside = 1 + fact("hidden_capex", "optics-cables-switches-insurance");
  EXPECT_DOUBLE_EQ(owner(terms).capital.price.base(), 2000 * beside);
  EXPECT_EQ(owner(terms).rated.base(), 450);
  EXPECT_TRUE(terms.notes("power-of-chip-alone"));
  EXPECT_FALSE(terms.notes("server-added"));
  EXPECT_DOUBLE_EQ(owner(terms).idle_share, fact("idle_power", "node-over-typical"));
}

// Where machines of more than one GPU are needed, a chip's price becomes that of its part of a
// server: by the middle of what servers cost over their chips.
TEST(OwningTermsTest, AChipForAServerIsPricedWithItsPartOfOne) {
  const auto terms = terms_of({"hardware=[plain-card]", "capacity.node=2"});
  std::vector<double> ratios;
  for (const auto& row : testing::market().prices().capex) {
    for (const auto& chip : testing::market().accelerators()) {
      if (chip.name != row.accelerator || chip.node.empty()) continue;
      const auto node = testing::market().find_node(chip.node);
      if (!node || !(*node)->price || (*node)->gpus < 2) continue;
      const double ratio = (*node)->price->capex.base() / (*node)->gpus / row.price.base();
      if (ratio > 1) ratios.push_back(ratio);
    }
  }
  ASSERT_GT(ratios.size(), 2U);
  std::sort(ratios.begin(), ratios.end());
  const double beside = 1 + fact("hidden_capex", "optics-cables-switches-insurance");
  const double server = ratios[ratios.size() / 2];
  EXPECT_NEAR(owner(terms).capital.price.base(), 2000 * server * beside, 1e-6);
  EXPECT_EQ(terms.told("server-added", "share"),
            std::to_string(static_cast<int>(std::lround(100 * (server - 1)))) + " %");
}

// Modules run on their board alone: as many as are written are priced as their part of a server,
// beside others whose servers have a price.
TEST(OwningTermsTest, AModuleIsNeverPricedBare) {
  const auto terms = terms_of({"hardware=[mi355x]", "capacity.gpus=3"});
  const double beside = 1 + fact("hidden_capex", "optics-cables-switches-insurance");
  const auto& chips = testing::market().prices().capex;
  const auto row = std::find_if(chips.begin(), chips.end(),
                                [](const auto& each) { return each.accelerator == "mi355x"; });
  ASSERT_NE(row, chips.end());
  EXPECT_EQ(terms->terms.capacity.machine, 1);
  EXPECT_TRUE(terms.notes("server-added"));
  EXPECT_GT(owner(terms).capital.price.base(), row->price.base() * beside * 1.01);
}

TEST(OwningTermsTest, WhatIsWrittenIsTaken) {
  const auto terms = terms_of(
      {"money.own={price: 30000 USD, life: 4 years, residual: 20 %, discount: 10 %, power: 900 W, "
       "electrical_load: 80 %, idle_power: 30 %, pue: 1.2, space: 100 USD/kW-month, maintenance: 4 "
       "%, insurance: 1 %, staff: 0.2 USD/GPU-hour, software: 0.1 USD/GPU-hour, availability: 95 "
       "%, resale: 0.5 USD/GPU-hour, most: 16}",
       "money.people=73000 USD/month", "money.electricity=0.1 USD/kWh"});
  const auto& own = owner(terms);
  EXPECT_EQ(own.capital.price.base(), 30'000);
  EXPECT_DOUBLE_EQ(own.capital.life / kYear, 4);
  EXPECT_DOUBLE_EQ(own.capital.residual, 0.2);
  EXPECT_DOUBLE_EQ(own.capital.discount, 0.1);
  EXPECT_DOUBLE_EQ(own.rated.base(), 900);
  EXPECT_DOUBLE_EQ(own.electrical_load, 0.8);
  EXPECT_DOUBLE_EQ(own.idle_share, 0.3);
  EXPECT_DOUBLE_EQ(own.pue, 1.2);
  EXPECT_NEAR((own.space * (Watts::from_base(1e3) * kMonth)).base(), 100, 1e-9);
  EXPECT_DOUBLE_EQ(own.maintenance, 0.04);
  EXPECT_DOUBLE_EQ(own.insurance, 0.01);
  EXPECT_NEAR(testing::per_hour(own.staff), 0.2, 1e-12);
  EXPECT_NEAR(testing::per_hour(own.software), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(own.availability, 0.95);
  EXPECT_NEAR(per_kwh(own.electricity), 0.1, 1e-12);
  EXPECT_NEAR(testing::per_hour(terms->terms.resale), 0.5, 1e-12);
  EXPECT_EQ(terms->terms.max_owned, 16);
  EXPECT_NEAR(testing::per_hour(terms->terms.people), 100, 1e-9);  // 730 hours a month.
  EXPECT_EQ(terms->discount_basis, DiscountBasis::kStated);
  EXPECT_DOUBLE_EQ(terms->terms.horizon / kYear, 4);  // As long as the machine lives.
}

TEST(OwningTermsTest, ElectricityIsThatOfTheRegionElseTheUsual) {
  const auto usual = terms_of();
  EXPECT_NEAR(per_kwh(owner(usual).electricity), fact("electricity_price", "us-texas-industrial"),
              1e-12);
  EXPECT_TRUE(usual.notes("default-electricity"));
  const auto region = terms_of({"money.region=canada-quebec"});
  EXPECT_EQ(owner(region).electricity,
            (*testing::market().find_region("canada-quebec"))->electricity);
  EXPECT_FALSE(region.notes("default-electricity"));
}

// Value falls by the same factor every year between the ages at which it is known.
TEST(OwningTermsTest, WhatIsLeftOfAMachineFollowsItsAge) {
  const auto left = [](const char* life) {
    const auto terms = terms_of({std::string("money.own.life=") + life});
    return owner(terms).capital.residual;
  };
  const double one = fact("residual", "h100-year-1");
  const double two = fact("residual", "h100-year-2");
  const double three = fact("residual", "h100-year-3");
  const double five = fact("residual", "year-5-and-later");
  EXPECT_NEAR(left("1 years"), one, 1e-12);
  EXPECT_NEAR(left("2 years"), two, 1e-12);
  EXPECT_NEAR(left("3 years"), three, 1e-12);
  EXPECT_NEAR(left("5 years"), five, 1e-12);
  EXPECT_NEAR(left("8 years"), five, 1e-12);
  EXPECT_NEAR(left("0.5 years"), std::sqrt(one), 1e-9);
  EXPECT_NEAR(left("1.5 years"), std::sqrt(one * two), 1e-9);
  EXPECT_NEAR(left("4 years"), std::sqrt(three * five), 1e-9);
  EXPECT_NEAR(left("3.5 years"), std::pow(three, 0.75) * std::pow(five, 0.25), 1e-9);
}

TEST(OwningTermsTest, CapitalCostsWhatItsDebtAndItsEquityAsk) {
  const auto weighted = [](const std::string& keys) {
    const auto terms = terms_of({"money.own.financing={" + keys + "}"});
    EXPECT_EQ(terms->discount_basis, DiscountBasis::kWeighted);
    return terms->terms.discount;
  };
  // E/V·Re + D/V·Rd·(1 - t).
  EXPECT_NEAR(weighted("debt_share: 60 %, debt_rate: 10 %, equity_rate: 20 %, tax: 25 %"),
              0.4 * 0.2 + 0.6 * 0.1 * 0.75, 1e-12);
  const std::string half = "debt_share: 50 %, equity_rate: 20 %";
  const auto half_of = [](const char* debt) { return 0.5 * 0.2 + 0.5 * fact("debt_rate", debt); };
  EXPECT_NEAR(weighted(half), half_of("coreweave-ddtl-2"), 1e-12);
  EXPECT_NEAR(weighted(half + ", offtake: merchant"), half_of("coreweave-ddtl-2"), 1e-12);
  EXPECT_NEAR(weighted(half + ", offtake: speculative"), half_of("coreweave-ddtl-5-ba2"), 1e-12);
  EXPECT_NEAR(weighted(half + ", offtake: investment-grade"), half_of("coreweave-ddtl-4-a3"),
              1e-12);
  const auto usual = terms_of();
  EXPECT_EQ(usual->discount_basis, DiscountBasis::kUsual);
  EXPECT_DOUBLE_EQ(usual->terms.discount, fact("wacc", "neocloud"));
  EXPECT_DOUBLE_EQ(owner(usual).capital.discount, fact("wacc", "neocloud"));
}

TEST(OwningTermsTest, SpaceIsRentedUnlessItIsBuilt) {
  const auto rented = terms_of();
  EXPECT_NEAR((owner(rented).space * (Watts::from_base(1e3) * kMonth)).base(),
              fact("colo_price", "us-tier-2-wholesale"), 1e-9);
  const auto kept = terms_of({"money.own.build=false"});
  EXPECT_EQ(owner(kept).space, owner(rented).space);
  const auto built = terms_of({"money.own={build: true, discount: 10 %}"});
  // The yearly payment that repays a megawatt over the life of the site.
  const double years = fact("build_life", "site");
  const double yearly = fact("build_cost", "us-average") * 1e6 * 0.1 / (1 - std::pow(1.1, -years));
  EXPECT_NEAR((owner(built).space * (Watts::from_base(1e6) * kYear)).base(), yearly, 1e-9 * yearly);
}

TEST(OwningTermsTest, APriceForEverythingTakesThePlaceOfItsParts) {
  const auto terms = terms_of({"money.own.all_in=1.9 USD/GPU-hour"});
  EXPECT_NEAR(testing::per_hour(*terms->terms.own_all_in), 1.9, 1e-12);
  EXPECT_FALSE(terms->terms.own);
  EXPECT_DOUBLE_EQ(terms->terms.horizon / kYear, fact("horizon", "usual"));
  const auto lives = terms_of({"money.own={all_in: 1.9 USD/GPU-hour, life: 6 years}"});
  EXPECT_DOUBLE_EQ(lives->terms.horizon / kYear, 6);
  const auto parts = terms_of();
  EXPECT_FALSE(parts->terms.own_all_in);
  EXPECT_DOUBLE_EQ(parts->terms.horizon / kYear, fact("book_life", "neocloud"));
  const auto stated = terms_of({"money.horizon=2 years"});
  EXPECT_DOUBLE_EQ(stated->terms.horizon / kYear, 2);
}

TEST(OwningTermsTest, NobodyOwnsWhatIsNotAskedForOrHasNoPrice) {
  const auto rented = terms_of({"money.options=[on-demand]"});
  EXPECT_FALSE(rented->terms.own);
  EXPECT_EQ(rented.unpriced("own"), 0);
  const auto unknown = terms_of({"hardware=[arc-b60]", "money.rent.on_demand=1 USD/GPU-hour"});
  EXPECT_FALSE(unknown->terms.own);
  EXPECT_EQ(unknown.unpriced("own"), lf::kPriceNotFound);
}

TEST(OwningTermsTest, TheDrawAtALoadLiesBetweenIdleAndFull) {
  MachineDraw draw;
  draw.rated = Watts::from_base(1000);
  draw.electrical_load = 0.8;
  draw.idle_share = 0.25;
  draw.pue = 1.5;
  EXPECT_DOUBLE_EQ(draw.at(1).base(), 1000 * 0.8 * 1.5);
  EXPECT_DOUBLE_EQ(draw.at(0).base(), 1000 * 0.8 * 0.25 * 1.5);
  EXPECT_DOUBLE_EQ(draw.at(0.4).base(), 1000 * 0.8 * (0.25 + 0.75 * 0.4) * 1.5);
  auto terms = terms_of();
  const MachineDraw same = machine_draw(*terms.setup);
  EXPECT_EQ(same.rated, owner(terms).rated);
  EXPECT_EQ(same.idle_share, owner(terms).idle_share);
}

}  // namespace
}  // namespace loadfactor::engine
