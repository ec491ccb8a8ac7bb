// Draws, sensitivities and ends of intervals against closed forms of lognormals.
#include "economics/uncertainty.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "economics/testing/rented_case.h"

namespace loadfactor::economics {
namespace {

using testing::hourly;

constexpr OptionSet kAll = ~OptionSet{0};
constexpr double kScore = 1.6448536269514722;  // Nine of ten lie within so many deviations.

constexpr std::size_t at(Factor factor) {
  return static_cast<std::size_t>(factor);
}

double per_hour(DollarsPerSecond rate) {
  return (rate * kHour).base();
}

// The deviation of the logarithm, and the quantile at a score, of a factor with mean one.
double sigma_of(double variation) {
  return std::sqrt(std::log1p(variation * variation));
}
double factor_at(double variation, double score) {
  const double sigma = sigma_of(variation);
  return std::exp(-0.5 * sigma * sigma + sigma * score);
}

TEST(FactorsTest, EachMovesWhatItIsOfAndNothingElse) {
  CostCase base = testing::rented_case(3);
  base.resale = hourly(1);
  base.own_all_in = hourly(5);
  base.own = OwnerTerms{};
  base.own->capital = {.price = Dollars::from_base(40000), .residual = 0.4, .life = kYear * 4};
  base.own->electricity = DollarsPerJoule::from_base(2);
  base.own->pue = 1.2;
  base.api = ApiTerms{.input = DollarsPerToken::from_base(1),
                      .cached = DollarsPerToken::from_base(2),
                      .output = DollarsPerToken::from_base(4)};
  base.alternatives.push_back({.own = base.own, .all_in = {}, .move = {}});
  base.alternatives.push_back({.own = {}, .all_in = hourly(7), .move = {}});
  const std::array<double, kNumFactors> values{1.5, 1.25, 1.75, 3, 1.1, 0.5, 0.8, 0.25};
  CostCase moved = base;
  apply_factors(base, values, moved);
  EXPECT_NEAR(per_hour(moved.rent[0]->price), 3 * 1.5, 1e-9);
  EXPECT_NEAR(per_hour(moved.resale), 1.5, 1e-9);
  EXPECT_NEAR(per_hour(*moved.own_all_in), 5 * 1.25, 1e-9);
  EXPECT_NEAR(moved.own->capital.price.base(), 50000, 1e-6);
  EXPECT_NEAR(moved.own->capital.residual, 0.7, 1e-12);
  EXPECT_DOUBLE_EQ(moved.own->electricity.base(), 6);
  EXPECT_NEAR(moved.own->pue, 1.32, 1e-12);
  EXPECT_DOUBLE_EQ(moved.capacity.full_plane.base(), 4000);
  EXPECT_DOUBLE_EQ(moved.capacity.load_factor, 0.8);
  EXPECT_DOUBLE_EQ(moved.capacity.demand_scale, 2);  // Twice as full, so twice the need.
  EXPECT_DOUBLE_EQ(moved.api->input.base(), 0.25);
  EXPECT_DOUBLE_EQ(moved.api->cached.base(), 0.5);
  EXPECT_DOUBLE_EQ(moved.api->output.base(), 1);
  EXPECT_NEAR(moved.alternatives[0].own->capital.price.base(), 50000, 1e-6);
  EXPECT_NEAR(per_hour(*moved.alternatives[1].all_in), 7 * 1.25, 1e-9);
}

TEST(FactorsTest, NoMachineKeepsMoreThanItsPriceAndNoSiteDrawsLessThanItsMachines) {
  CostCase base = testing::rented_case(3);
  base.own = OwnerTerms{};
  base.own->capital.residual = 0.8;
  base.own->pue = 1.2;
  base.capacity.load_factor = 0;
  CostCase moved = base;
  apply_factors(base, std::array<double, kNumFactors>{1, 1, 2, 1, 0.5, 1, 0.3, 1}, moved);
  EXPECT_DOUBLE_EQ(moved.own->capital.residual, 1);
  EXPECT_DOUBLE_EQ(moved.own->pue, 1);
  EXPECT_DOUBLE_EQ(moved.capacity.demand_scale, 1);  // Nothing has no multiple.
}

// Eight GPUs at an uncertain 3 USD an hour, or owned for sure at so much for all of them.
CostCase a_choice(double owned) {
  CostCase terms = testing::rented_case(3);
  terms.own_all_in = hourly(owned / 8);
  return terms;
}

DrawPlan only_rent(double variation, std::size_t draws) {
  DrawPlan plan;
  plan.variations[at(Factor::kRent)] = variation;
  plan.draws = draws;
  return plan;
}

// The mean of the lesser of a factor with mean one and of a bound.
double mean_of_lesser(double variation, double bound) {
  const double sigma = sigma_of(variation);
  const double place = std::log(bound) / sigma;
  return normal_probability(place - 0.5 * sigma) +
         bound * (1 - normal_probability(place + 0.5 * sigma));
}

TEST(DrawsTest, KnowingTheRentIsWorthTheRentsThatWouldBeAvoided) {
  for (const double owned : {24.0, 30.0, 20.0}) {
    const auto spreads = simulate(a_choice(owned), kAll, only_rent(0.3, 8192));
    const double best = 24 * mean_of_lesser(0.3, owned / 24);
    const double worth = std::min(24.0, owned) - best;
    EXPECT_NEAR(spreads.value_of_knowing_all * 3600, worth, 0.01 * worth + 0.01) << owned;
    EXPECT_NEAR(spreads.value_of_knowing[at(Factor::kRent)] * 3600, worth, 0.03 * worth) << owned;
    EXPECT_DOUBLE_EQ(spreads.value_of_knowing[at(Factor::kRate)], 0);
  }
}

TEST(DrawsTest, IntervalsHoldNineOfTenAndMeansAreMeans) {
  const auto spreads = simulate(a_choice(24), kAll, only_rent(0.3, 8192));
  const OptionSpread& rent = spreads.options[0];
  EXPECT_NEAR(rent.low * 3600, 24 * factor_at(0.3, -kScore), 0.02);
  EXPECT_NEAR(rent.p50 * 3600, 24 * factor_at(0.3, 0), 0.02);
  EXPECT_NEAR(rent.high * 3600, 24 * factor_at(0.3, kScore), 0.05);
  EXPECT_NEAR(rent.mean_rate * 3600, 24, 0.02);
  EXPECT_NEAR(rent.mean * 3600, 24, 0.02);
  EXPECT_NEAR(rent.wins, normal_probability(0.5 * sigma_of(0.3)), 0.002);
}

TEST(DrawsTest, WithoutDrawsEveryQuantileIsTheValue) {
  const CostCase terms = a_choice(16);
  const auto spreads = without_draws(terms, evaluate(terms, kAll));
  EXPECT_EQ(spreads.draws, 1U);
  for (const double value :
       {spreads.options[1].low, spreads.options[1].p50, spreads.options[1].high,
        spreads.options[1].mean, spreads.options[1].mean_rate})
    EXPECT_NEAR(value * 3600, 16, 1e-9);
  EXPECT_DOUBLE_EQ(spreads.options[1].wins, 1);
  EXPECT_NEAR(spreads.options[1].per_work_p50 * 3600, 16.0 / 3200, 1e-12);
}

TEST(SensitivityTest, SharesOfAProductAreThoseOfItsFactors) {
  DrawPlan plan;
  plan.variations[at(Factor::kRent)] = 0.3;
  plan.variations[at(Factor::kRate)] = 0.2;
  plan.draws = 6000;
  const auto found = sensitivity(testing::rented_case(3), bit(OptionKind::kOnDemand), 0, plan);
  // For independent lognormals, the variance over the square of the mean is the product of one plus
  // each factor's, less one; one over a lognormal has the same as itself.
  const double rent = 0.09, rate = 0.04;
  const double all = (1 + rent) * (1 + rate) - 1;
  EXPECT_NEAR(found.first[at(Factor::kRent)], rent / all, 0.03);
  EXPECT_NEAR(found.first[at(Factor::kRate)], rate / all, 0.03);
  EXPECT_NEAR(found.total[at(Factor::kRent)], rent * (1 + rate) / all, 0.03);
  EXPECT_NEAR(found.total[at(Factor::kRate)], rate * (1 + rent) / all, 0.03);
  EXPECT_DOUBLE_EQ(found.total[at(Factor::kCapital)], 0);
}

TEST(SensitivityTest, OneInputExplainsAllAndNoneExplainsNothing) {
  const CostCase terms = testing::rented_case(3);
  const auto all = sensitivity(terms, bit(OptionKind::kOnDemand), 0, only_rent(0.2, 500));
  EXPECT_NEAR(all.first[at(Factor::kRent)], 1, 0.1);
  EXPECT_LE(all.total[at(Factor::kRent)], 1);
  EXPECT_NEAR(all.total[at(Factor::kRent)], 1, 0.1);
  const auto none = sensitivity(terms, bit(OptionKind::kOnDemand), 0, only_rent(0, 50));
  EXPECT_DOUBLE_EQ(none.total[at(Factor::kRent)], 0);
}

TEST(EndsTest, TheEndsOfAnInputAreItsQuantilesAndHoldWhatIsExpected) {
  Variations variations{};
  variations[at(Factor::kRent)] = 0.2;
  const auto ends = cases_at_ends(testing::rented_case(3), variations);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].factor, Factor::kRent);
  EXPECT_NEAR(ends[0].low_value, factor_at(0.2, -kScore), 1e-9);
  EXPECT_NEAR(per_hour(ends[0].high.rent[0]->price), 3 * factor_at(0.2, kScore), 1e-9);
  const FactorEnds rent = ends_of(Factor::kRent, variations);
  EXPECT_NEAR(rent.low, factor_at(0.2, -kScore), 1e-9);
  EXPECT_NEAR(rent.high, factor_at(0.2, kScore), 1e-9);
}

TEST(EndsTest, NoSiteDrawsLessThanItsMachines) {
  Variations variations{};
  variations[at(Factor::kPue)] = 0.3;
  EXPECT_NEAR(pue_ends(1.25, variations).low, 0.8, 1e-12);
  EXPECT_NEAR(pue_ends(0, variations).low, factor_at(0.3, -kScore), 1e-9);
}

TEST(TornadoTest, TheWidestInputComesFirstAndWhatDoesNotMatterIsLeftOut) {
  Variations variations{};
  variations[at(Factor::kRent)] = 0.1;
  variations[at(Factor::kRate)] = 0.3;
  variations[at(Factor::kPue)] = 0.3;  // Nothing is owned.
  const auto bars = tornado(testing::rented_case(3), bit(OptionKind::kOnDemand), 0, variations);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].factor, Factor::kRate);
  EXPECT_EQ(bars[1].factor, Factor::kRent);
  // 24 USD an hour for 3,200 tokens a second.
  EXPECT_NEAR(bars[1].at_low * 3600, 24 * factor_at(0.1, -kScore) / 3200, 1e-9);
  EXPECT_NEAR(bars[0].at_high * 3600, 24 / factor_at(0.3, kScore) / 3200, 1e-9);
  // Whichever of the two is known worse.
  variations[at(Factor::kRent)] = 0.5;
  const auto turned = tornado(testing::rented_case(3), bit(OptionKind::kOnDemand), 0, variations);
  ASSERT_EQ(turned.size(), 2U);
  EXPECT_EQ(turned[0].factor, Factor::kRent);
}

}  // namespace
}  // namespace loadfactor::economics
