// Moves, price paths, draws and terms against closed forms.
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/calendar.h"
#include "base/distributions.h"
#include "economics/api_floor.h"
#include "economics/own_or_rent.h"
#include "economics/porting.h"
#include "economics/price_path.h"
#include "economics/run_term.h"
#include "economics/sampling.h"
#include "economics/testing/rented_case.h"
#include "economics/training_size.h"

namespace loadfactor::economics {
namespace {

using testing::hourly;

Dollars usd(double amount) {
  return Dollars::from_base(amount);
}

TEST(PortingSumsTest, AMoveCostsItsPeopleItsTestsItsTwoStacksAndItsDelay) {
  const PortingBill bill{.engineers = 2,
                         .effort = kHour * 3,
                         .salary = hourly(5),
                         .validation = usd(7),
                         .other = usd(11),
                         .upkeep = hourly(13),
                         .horizon = kHour * 17,
                         .delay = kHour * 19,
                         .delay_cost = hourly(23)};
  EXPECT_NEAR(porting_cost(bill).base(), 2 * 3 * 5 + 7 + 11 + 13 * 17 + 19 * 23, 1e-9);
}

TEST(PortingSumsTest, AChallengerThatCostsTheSameNeverPaysForTheMove) {
  EXPECT_FALSE(break_even_work({hourly(2), hourly(1), 0.5}, usd(1)).has_value());
  EXPECT_NEAR(*break_even_work({hourly(3), hourly(1), 0.5}, usd(10)) / kHour, 10, 1e-9);
  EXPECT_EQ(longest_delay_discounted({hourly(2), hourly(1), 0.5}, kMonth * 36, 0.1), Seconds());
}

TEST(PortingSumsTest, DiscountedIdleMonthsAreAGeometricSum) {
  // Hours of the third year alone are worth so much of all three.
  const double year = 1 / 1.1;
  const double share = (std::pow(year, 2) - std::pow(year, 3)) / (1 - std::pow(year, 3));
  const Move move{hourly(1), hourly(share), 1};
  EXPECT_NEAR(longest_delay_discounted(move, kMonth * 36, 0.1) / kMonth, 24, 1e-6);
}

// Margrabe's formula, with the distribution as an error function.
double worth_of_switch(double from, double to, double variance) {
  const auto below = [](double score) { return 0.5 * std::erfc(-score / std::sqrt(2.0)); };
  const double sigma = std::sqrt(variance);
  const double d1 = (std::log(from / to) + 0.5 * variance) / sigma;
  return from * below(d1) - to * below(d1 - sigma);
}

TEST(PortingSumsTest, TheRightToSwitchIsMargrabesOfTwoPricesThatMoveTogether) {
  const TwoPrices prices{.correlation = 0.5, .first_volatility = 0.3, .second_volatility = 0.2};
  const double variance = (0.09 + 0.04 - 2 * 0.5 * 0.3 * 0.2) * 2;
  for (const double incumbent : {1.5, 2.0, 3.0}) {
    const Move move{hourly(incumbent), hourly(1.9), 0.95};
    EXPECT_NEAR(option_to_switch(move, prices, kYear * 2) / hourly(1),
                worth_of_switch(incumbent, 2, variance), 1e-9);
  }
}

TEST(PathSumsTest, AStrongPullKeepsThePriceOnItsMeanAndAWeakOneClosesItsShare) {
  const auto strong = simulate_path({.drift = -0.1, .reversion = 1e9}, 12, RandomStream(1, "pull"));
  EXPECT_NEAR(strong[11], 0.9, 1e-12);
  EXPECT_NEAR(strong[5], std::sqrt(0.9), 1e-12);
  const auto weak = simulate_path({.drift = -0.1, .reversion = 1.2}, 2, RandomStream(1, "pull"));
  const double step = std::log(0.9) / 12, share = 1 - std::exp(-0.1);
  EXPECT_NEAR(std::log(weak[0]), step * share, 1e-12);
  EXPECT_NEAR(std::log(weak[1]), step * share + (2 * step - step * share) * share, 1e-12);
}

TEST(PathSumsTest, AFitCountsJumpsAndDriftsOfAHistory) {
  const std::vector<DatedPrice> history{{10, 1}, {11, 0.5}, {12, 0.5}, {13, 1}, {14, 4}};
  const auto fitted = fit_process(history, 0.3);
  ASSERT_TRUE(fitted);
  EXPECT_NEAR(fitted->drift, std::sqrt(2.0) - 1, 1e-12);
  EXPECT_NEAR(fitted->jumps, 3.0 / 4, 1e-12);
  EXPECT_NEAR(fitted->down_share, 1.0 / 3, 1e-12);
  EXPECT_NEAR(fitted->jump_down, -0.5, 1e-12);
  EXPECT_NEAR(fitted->jump_up, std::exp2(1.5) - 1, 1e-12);  // The mean of 2 and 4, as logarithms.
  EXPECT_DOUBLE_EQ(fitted->volatility, 0);
}

TEST(PathSumsTest, ThreePricesAreEnoughAndTheyNeedTimeBetweenThem) {
  EXPECT_TRUE(fit_process(std::vector<DatedPrice>{{0, 1}, {1, 1.1}, {2, 1.2}}, 0.5).has_value());
  EXPECT_FALSE(fit_process(std::vector<DatedPrice>{{0, 1}, {1, 1.1}}, 0.5).has_value());
  EXPECT_FALSE(fit_process(std::vector<DatedPrice>{{3, 1}, {3, 1.1}, {3, 1.2}}, 0.5).has_value());
}

TEST(FloorSumsTest, ABreakEvenPaysTheEnergyOfTheWorkFirst) {
  const auto price = DollarsPerToken::from_base(0.25);
  const auto rate = TokensPerSecond::from_base(8);
  const auto of = [](double dollars) { return DollarsPerSecond::from_base(dollars); };
  EXPECT_DOUBLE_EQ(break_even_load(of(1), of(0.5), price, rate), 1 / 1.5);
  EXPECT_TRUE(std::isinf(break_even_load(DollarsPerSecond(), of(2), price, rate)));
  // Without a discount: a year over the mean of 2^-t.
  EXPECT_NEAR(life_multiplier(kYear, kYear, 0), std::log(2.0) / 0.5, 1e-12);
}

TEST(OwnOrRentSumsTest, ARentThatDoublesCostsTwiceAndOneThatOnlyCoversRunningNeverPays) {
  const OwnOrRent deal{.price = usd(1000),
                       .running = hourly(1.5),
                       .load_factor = 0.5,
                       .rent = hourly(3),
                       .discount = 0.1,
                       .months = 36};
  const auto twice = present_cost_of_renting(deal, [](int) { return 2.0; });
  EXPECT_NEAR(twice / present_cost_of_renting(deal), 2, 1e-12);
  EXPECT_FALSE(payback_time(deal).has_value());
  OwnOrRent fuller = deal;
  fuller.load_factor = 1;
  EXPECT_NEAR(*payback_time(fuller) / kHour, 1000 / 1.5, 1e-9);
}

TEST(TrainingSizeSumsTest, TheNextGpuEarnsWhatIsUnservedAndNoMoreThanItCanMake) {
  const auto earns = [](double unserved) {
    return next_serving_gpu_value(TokensPerSecond::from_base(unserved),
                                  TokensPerSecond::from_base(1000), DollarsPerToken::from_base(2),
                                  DollarsPerSecond::from_base(300))
        .base();
  };
  EXPECT_DOUBLE_EQ(earns(500), 700);
  EXPECT_DOUBLE_EQ(earns(5000), 1700);
  EXPECT_DOUBLE_EQ(earns(-5), -300);
}

TEST(RunTermSumsTest, WhatIsPaidByTheHourRunsAsLongAsItIsPaid) {
  EXPECT_EQ(RunTerm().longest_run(kDay * 10), kDay * 10);
  const RunTerm once{.commitment = kYear};
  EXPECT_EQ(once.longest_run(kYear * 2.5), kYear * 2.5);
}

TEST(SamplingSumsTest, ALognormalRisesWithItsScore) {
  const std::vector<UncertainInput> inputs{{1, 0.4}};
  const InputQuantiles quantiles(inputs);
  const double sigma = std::sqrt(std::log(1.16));
  EXPECT_NEAR(quantiles.value(0, 1) / quantiles.value(0, 0), std::exp(sigma), 1e-12);
}

TEST(SamplingSumsTest, AShareHasTheQuantilesOfItsBetaDistribution) {
  // Half, with a deviation of a quarter: both exponents are a half, and the share below x is that
  // of a half circle.
  const std::vector<UncertainInput> inputs{{0.5, 0.5, Spread::kBeta}};
  const InputQuantiles quantiles(inputs);
  const double pi = std::acos(-1.0);
  for (int place = 60; place <= 196; place += 8) {
    const double score = -5 + 10.0 * place / 256;  // Where quantiles are tabulated.
    const double x = quantiles.value(0, score);
    const double below = 2 / pi * (std::asin(std::sqrt(x)) - std::sqrt(x * (1 - x)) * (1 - 2 * x));
    EXPECT_NEAR(below, normal_probability(score), 3e-6) << score;
  }
  EXPECT_NEAR(quantiles.value(0, 9), quantiles.value(0, 5), 1e-12);
}

TEST(SamplingSumsTest, AShareNearItsBoundVariesByHalfItsDistanceAtMost) {
  for (const auto& [mean, variation] : {std::pair{0.9, 0.5}, {0.1, 2.0}}) {
    const std::vector<UncertainInput> inputs{{mean, variation, Spread::kBeta}};
    const InputQuantiles quantiles(inputs);
    double sum = 0, squares = 0;
    constexpr int kDraws = 4000;
    for (int i = 0; i < kDraws; ++i) {
      const double value = quantiles.value(0, normal_quantile((i + 0.5) / kDraws));
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / kDraws, mean, 1e-3);
    EXPECT_NEAR(std::sqrt(squares / kDraws - std::pow(sum / kDraws, 2)), 0.05, 1e-3);
  }
}

TEST(SamplingSumsTest, ThreeInputsMoveTogetherAsAskedAndEachVariesByOne) {
  const std::vector<Correlation> asked{{0, 1, 0.5}, {1, 2, 0.4}, {0, 2, -0.3}};
  constexpr std::size_t kDraws = 20'000;
  const Sample scores = normal_scores(3, asked, kDraws, 5);
  const auto product = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t i = 0; i < kDraws; ++i) sum += scores.row(i)[a] * scores.row(i)[b];
    return sum / static_cast<double>(kDraws);
  };
  for (std::size_t input = 0; input < 3; ++input) EXPECT_NEAR(product(input, input), 1, 0.02);
  for (const Correlation& one : asked) EXPECT_NEAR(product(one.first, one.second), one.value, 0.02);
}

}  // namespace
}  // namespace loadfactor::economics
