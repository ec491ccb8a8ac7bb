// Laws of the money formulas: what must hold for any numbers, tried on seeded ones.
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "base/random.h"
#include "base/statistics.h"
#include "economics/api_floor.h"
#include "economics/capital.h"
#include "economics/own_or_rent.h"
#include "economics/owner_cost.h"
#include "economics/porting.h"
#include "economics/price_path.h"
#include "economics/rent.h"
#include "economics/sampling.h"
#include "economics/testing/lognormal_product.h"
#include "economics/training_size.h"
#include "economics/waiting.h"

namespace loadfactor::economics {
namespace {

using namespace loadfactor::literals;

constexpr int kCases = 300;

DollarsPerSecond hourly(double dollars) {
  return Dollars::from_base(dollars) / kHour;
}

TEST(CapitalLawsTest, CostFallsWithLifeAndResidualAndRisesWithDiscount) {
  RandomStream stream(1, "capital-laws");
  for (int i = 0; i < kCases; ++i) {
    CapitalTerms terms{.price = Dollars::from_base(uniform_between(stream, 1e3, 1e5)),
                       .residual = uniform_between(stream, 0, 0.8),
                       .discount = uniform_between(stream, 0.01, 0.2),
                       .life = kYear * uniform_between(stream, 2, 8)};
    const auto cost = capital_cost(terms);
    CapitalTerms longer = terms;
    longer.life = terms.life * 1.5;
    // A longer life with the same residual share keeps a larger share of value per year of use.
    EXPECT_LT(capital_cost(longer), cost);
    CapitalTerms richer = terms;
    richer.residual += 0.1;
    EXPECT_LT(capital_cost(richer), cost);
    CapitalTerms dearer = terms;
    dearer.discount += 0.02;
    EXPECT_GT(capital_cost(dearer), cost);
    EXPECT_GE(cost, book_cost(terms));
  }
}

TEST(OwnerLawsTest, AFullerMachineIsCheaperPerUsefulHourAndOnlyEnergyMoves) {
  const OwnerCost cost = owner_cost({.capital = {.price = 40000_USD, .life = kYear * 5},
                                     .rated = 1_kW,
                                     .idle_share = 0.2,
                                     .electricity = 0.1 / 1_kWh * 1_USD});
  const auto per_useful_hour = [&](double load) { return cost.at(load) / load; };
  DollarsPerSecond before = per_useful_hour(0.01);
  for (double load = 0.05; load <= 1.0; load += 0.05) {
    const auto now = per_useful_hour(load);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_NEAR(cost.at(1) / cost.total(), 1.0, 1e-12);
  EXPECT_NEAR((cost.at(1) - cost.at(0)) / cost.energy, 0.8, 1e-12);
}

TEST(FloorLawsTest, TheFloorGoesWithOneOverPriceAndRate) {
  RandomStream stream(1, "floor-laws");
  const DollarsPerSecond none;
  for (int i = 0; i < kCases; ++i) {
    const auto cost = hourly(uniform_between(stream, 0.5, 20));
    const auto price = DollarsPerToken::from_base(uniform_between(stream, 1e-8, 1e-5));
    const auto rate = TokensPerSecond::from_base(uniform_between(stream, 100, 1e5));
    const double floor = break_even_load(cost, none, price, rate);
    EXPECT_NEAR(break_even_load(cost, none, price * 2, rate), floor / 2, 1e-12 * floor);
    EXPECT_NEAR(break_even_load(cost, none, price, rate * 4), floor / 4, 1e-12 * floor);
    EXPECT_NEAR(break_even_load(cost * 3, none, price, rate), floor * 3, 1e-12 * floor);
    EXPECT_GE(life_multiplier(kYear * uniform_between(stream, 0.5, 9), kYear * 3, 0.1), 1.0);
  }
  EXPECT_DOUBLE_EQ(life_multiplier(Seconds(), kYear * 3, 0.1), 1.0);
}

TEST(OwnOrRentLawsTest, OnceOwningPaysAHigherLoadNeverMakesRentCheaper) {
  OwnOrRent deal{.price = 40000_USD,
                 .residual = 0.2,
                 .running = hourly(0.5),
                 .rent = hourly(3),
                 .discount = 0.1,
                 .months = 36};
  bool paid = false;
  for (double load = 0.05; load <= 1.0; load += 0.01) {
    deal.load_factor = load;
    const bool pays = saving_of_owning(deal) > Dollars();
    EXPECT_TRUE(pays || !paid) << load;
    paid = pays;
    OwnOrRent even = deal;
    even.rent = break_even_rent(deal);
    EXPECT_NEAR(saving_of_owning(even) / 40000_USD, 0.0, 1e-9);
  }
  EXPECT_TRUE(paid);
}

TEST(TrainingSizeLawsTest, TheBestSizeGrowsWithoutBoundAsTheSerialShareVanishes) {
  TrainingTerms terms{.work = Gpus::from_base(1e6) * kHour,
                      .serial = 1e-2,
                      .gpu = hourly(3),
                      .delay = hourly(2000)};
  double before = 0;
  for (int i = 0; i < 6; ++i, terms.serial /= 10) {
    const double best = best_training_size(terms);
    EXPECT_GT(best, 3 * before);
    EXPECT_LE(training_cost(terms, best), training_cost(terms, best * 1.05));
    EXPECT_LE(training_cost(terms, best), training_cost(terms, best * 0.95));
    before = best;
  }
  terms.serial = 0;
  EXPECT_TRUE(std::isinf(best_training_size(terms)));
}

TEST(SpotLawsTest, InterruptionsNeverMakeAnHourCheaper) {
  double before = 1;
  for (double gang = 0; gang < 3000; gang += 50) {
    const double factor =
        spot_multiplier({.hazard = 3e-4 / kHour, .loss = kHour * 0.75, .gang = gang});
    EXPECT_GE(factor, before);
    before = factor;
  }
}

TEST(PortingLawsTest, TheOptionIsWorthAtLeastItsIntrinsicValue) {
  const Move move{.incumbent = hourly(2.34), .challenger = hourly(1.9), .performance = 0.95};
  const TwoPrices calm{};
  EXPECT_NEAR(option_to_switch(move, calm, kYear) / hourly(0.34), 1.0, 1e-9);
  double before = 0.34;
  for (double volatility = 0.1; volatility < 0.6; volatility += 0.1) {
    const double value = option_to_switch(move, {0.0, volatility, volatility}, kYear) / hourly(1);
    EXPECT_GT(value, before);
    before = value;
  }
  EXPECT_FALSE(break_even_work({hourly(1), hourly(2), 1.0}, 1_USD).has_value());
}

TEST(WaitingTest, WaitingPaysOnlyAboveTheLeastGain) {
  WaitingTerms terms{
      .own_now = hourly(2), .rent = hourly(3), .wait = kMonth * 6, .horizon = kMonth * 36};
  terms.gain = *least_gain(terms);
  EXPECT_NEAR(value_of_waiting(terms) / 1_USD, 0.0, 1e-6);
  terms.gain *= 1.1;
  EXPECT_GT(value_of_waiting(terms), Dollars());
}

TEST(PricePathTest, AFlatProcessStaysAndADriftingOneEndsWhereItDrifts) {
  const RandomStream stream(1, "paths");
  for (const double factor : simulate_path({}, 36, stream)) EXPECT_DOUBLE_EQ(factor, 1.0);
  EXPECT_NEAR(simulate_path({.drift = -0.1}, 12, stream).back(), 0.9, 1e-12);
  EXPECT_NEAR(PriceCurve::drifting(-0.1).at(kYear), 0.9, 1e-12);
  EXPECT_DOUBLE_EQ(PriceCurve::jumping(-0.44, kYear).at(kYear * 0.5), 1.0);
  EXPECT_DOUBLE_EQ(PriceCurve::jumping(-0.44, kYear).at(kYear * 2), 0.56);
  EXPECT_NEAR(PriceCurve::yearly({0.8, 0.4}).at(kYear * 2), 0.4, 1e-12);
  EXPECT_NEAR(PriceCurve::yearly({0.8, 0.4}).at(kYear), 0.8, 1e-12);
}

TEST(PricePathTest, AFitFindsTheVolatilityAndJumpsItWasMadeOf) {
  const PriceProcess truth{
      .drift = 0.0, .volatility = 0.2, .jumps = 1.0, .jump_down = -0.5, .jump_up = 0.6};
  const auto factors = simulate_path(truth, 12 * 200, RandomStream(3, "fit"));
  std::vector<DatedPrice> history{{0.0, 1.0}};
  for (std::size_t i = 0; i < factors.size(); ++i)
    history.push_back({static_cast<double>(i + 1) / 12.0, factors[i]});
  const auto fitted = fit_process(history, 0.3);
  ASSERT_TRUE(fitted);
  EXPECT_NEAR(fitted->volatility, 0.2, 0.02);
  EXPECT_NEAR(fitted->jumps, 1.0, 0.25);
  EXPECT_NEAR(fitted->jump_down, -0.5, 0.05);
}

TEST(SamplingTest, TheMedianOfAProductOfLognormalsIsWithinAPercentOfTheClosedForm) {
  const std::vector<UncertainInput> inputs{{3.55, 0.2}, {1000, 0.15}, {0.4, 0.3}};
  const InputQuantiles quantiles(inputs);
  const Sample scores = normal_scores(3, {}, 100'000, 1);
  std::vector<double> costs;
  for (std::size_t draw = 0; draw < scores.draws(); ++draw) {
    const auto row = scores.row(draw);
    costs.push_back(quantiles.value(0, row[0]) * 1e6 / 3600 / quantiles.value(1, row[1]) /
                    quantiles.value(2, row[2]));
  }
  const std::vector<LognormalFactor> factors{{3.55, 0.2, 1}, {1000, 0.15, -1}, {0.4, 0.3, -1}};
  const auto closed = lognormal_product(1e6 / 3600, factors);
  for (const double q : {0.1, 0.5, 0.9})
    EXPECT_NEAR(quantile_nearest_rank(costs, q) / closed.quantile(q), 1.0, 0.01);
  EXPECT_NEAR(mean(costs) / closed.mean(), 1.0, 0.01);
}

TEST(SamplingTest, MarginsAndCorrelationsAreWhatWasAsked) {
  const std::vector<UncertainInput> inputs{{0.4, 0.3, Spread::kBeta}, {2.0, 0.2}, {5.0, 0.0}};
  const InputQuantiles quantiles(inputs);
  const std::array<Correlation, 1> correlated{Correlation{0, 1, 0.7}};
  const Sample scores = normal_scores(3, correlated, 20'000, 7);
  std::vector<double> loads;
  std::vector<double> squares;
  std::vector<double> prices;
  double product = 0;
  for (std::size_t draw = 0; draw < scores.draws(); ++draw) {
    const auto row = scores.row(draw);
    const double share = quantiles.value(0, row[0]);
    EXPECT_TRUE(share > 0 && share < 1);
    loads.push_back(share);
    squares.push_back(share * share);
    prices.push_back(quantiles.value(1, row[1]));
    product += row[0] * row[1];
    EXPECT_DOUBLE_EQ(quantiles.value(2, row[2]), 5.0);
  }
  EXPECT_NEAR(mean(loads), 0.4, 0.002);
  EXPECT_NEAR(std::sqrt(mean(squares) - mean(loads) * mean(loads)), 0.12, 0.002);
  EXPECT_NEAR(mean(prices), 2.0, 0.005);
  EXPECT_NEAR(product / 20'000, 0.7, 0.02);
}

}  // namespace
}  // namespace loadfactor::economics
