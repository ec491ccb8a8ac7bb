#include "loadfactor/estimate.h"

#include <cmath>
#include <random>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

using namespace loadfactor::literals;  // NOLINT(google-build-using-namespace): literals only.

EstimateOf<double> ratio(double value, double low, double high, Basis basis = Basis::kModelled) {
  return {value, low, high, basis, "test"};
}

Estimate random_estimate(std::mt19937_64& engine, double smallest) {
  std::uniform_real_distribution<double> value(smallest, 100.0);
  std::uniform_real_distribution<double> share(0.0, 0.9);
  const double middle = value(engine);
  const double down = share(engine) * std::abs(middle);
  const double up = share(engine) * std::abs(middle);
  return {middle, middle - down, middle + up, kNone, Basis::kModelled, "test"};
}

// Rounding aside, `inner` lies within `outer`.
void expect_within(const Estimate& inner, const Estimate& outer) {
  const double slack = 1e-12 * (std::abs(outer.low) + std::abs(outer.high));
  EXPECT_GE(inner.low, outer.low - slack);
  EXPECT_LE(inner.high, outer.high + slack);
}

TEST(EstimateTest, IndependentErrorsOfASumAddAsARootOfSquares) {
  // ±3 and ±4 make ±5.
  const auto sum = ratio(10, 7, 13) + ratio(20, 16, 24);
  EXPECT_DOUBLE_EQ(sum.value(), 30);
  EXPECT_DOUBLE_EQ(sum.low(), 25);
  EXPECT_DOUBLE_EQ(sum.high(), 35);
}

TEST(EstimateTest, CorrelatedErrorsOfASumAddInFull) {
  const auto sum = add_correlated(ratio(10, 7, 13), ratio(20, 16, 24));
  EXPECT_DOUBLE_EQ(sum.low(), 23);
  EXPECT_DOUBLE_EQ(sum.high(), 37);
}

TEST(EstimateTest, ADifferenceTakesTheOppositeEndOfWhatIsSubtracted) {
  // 20 −4 +0 minus 10 −0 +3: down by √(4² + 3²), up by nothing.
  const auto difference = ratio(20, 16, 20) - ratio(10, 10, 13);
  EXPECT_DOUBLE_EQ(difference.low(), 5);
  EXPECT_DOUBLE_EQ(difference.high(), 10);
}

TEST(EstimateTest, AnExactFactorScalesTheInterval) {
  const auto product = ratio(10, 8, 15) * ratio(2, 2, 2);
  EXPECT_DOUBLE_EQ(product.low(), 16);
  EXPECT_DOUBLE_EQ(product.high(), 30);
  const auto doubled = ratio(10, 8, 15) * 2;
  EXPECT_DOUBLE_EQ(doubled.low(), 16);
  EXPECT_DOUBLE_EQ(doubled.high(), 30);
  const auto negated = ratio(10, 8, 15) * -1;
  EXPECT_DOUBLE_EQ(negated.low(), -15);
  EXPECT_DOUBLE_EQ(negated.high(), -8);
  EXPECT_DOUBLE_EQ((ratio(10, 8, 15) / 2).low(), 4);
}

TEST(EstimateTest, RatiosOfAProductAddAsARootOfSquares) {
  // Off by factors e^0.3 and e^0.4, together by e^0.5.
  const double third = std::exp(0.3);
  const double fourth = std::exp(0.4);
  const auto product = ratio(1, 1 / third, third) * ratio(1, 1 / fourth, fourth);
  EXPECT_DOUBLE_EQ(product.low(), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(product.high(), std::exp(0.5));
  const auto quotient = ratio(1, 1 / third, third) / ratio(1, 1 / fourth, fourth);
  EXPECT_DOUBLE_EQ(quotient.low(), std::exp(-0.5));
}

TEST(EstimateTest, AQuotientTakesTheOppositeEndOfTheDivisor) {
  const auto quotient = ratio(12, 12, 12) / ratio(4, 3, 6);
  EXPECT_DOUBLE_EQ(quotient.value(), 3);
  EXPECT_DOUBLE_EQ(quotient.low(), 2);
  EXPECT_DOUBLE_EQ(quotient.high(), 4);
}

TEST(EstimateTest, IntervalsAcrossZeroUseExactArithmetic) {
  const auto product = ratio(1, -2, 3) * ratio(4, 4, 5);
  EXPECT_DOUBLE_EQ(product.low(), -10);
  EXPECT_DOUBLE_EQ(product.high(), 15);
  const auto squared = ratio(-2, -3, -1) * ratio(-2, -3, -1);
  EXPECT_DOUBLE_EQ(squared.low(), 1);
  EXPECT_DOUBLE_EQ(squared.high(), 9);
}

TEST(EstimateTest, ADivisorThatMayBeZeroLeavesTheResultUnbounded) {
  const auto half_open = ratio(6, 5, 7) / ratio(2, 0, 4);
  EXPECT_DOUBLE_EQ(half_open.low(), 1.25);
  EXPECT_TRUE(std::isinf(half_open.high()));
  const auto open = ratio(6, 5, 7) / ratio(2, -1, 4);
  EXPECT_TRUE(std::isinf(open.low()) && std::isinf(open.high()));
  EXPECT_TRUE(is_sound(open.erased()));
}

TEST(EstimateDeathTest, DividingByZeroAndAddingUnlikeThingsAreOurBugs) {
  EXPECT_DEATH(divide(ratio(1, 1, 1).erased(), ratio(0, 0, 0).erased()), "divided by zero");
  const Estimate bytes = EstimateOf<Bytes>::exact(1_GB, Basis::kMeasured, "a").erased();
  EXPECT_DEATH(add(bytes, ratio(1, 1, 1).erased()), "one dimension");
}

TEST(EstimateTest, DimensionsFollowTheTypes) {
  const auto data = EstimateOf<Bytes>::within(8_GB, 0.1, Basis::kModelled, "a");
  const auto rate = EstimateOf<BytesPerSecond>::exact(2_GBps, Basis::kMeasured, "b");
  const auto time = data / rate;
  static_assert(std::is_same_v<decltype(time), const EstimateOf<Seconds>>);
  static_assert(std::is_same_v<decltype(data / data), EstimateOf<double>>);
  EXPECT_DOUBLE_EQ(time.value() / 1_s, 4.0);
  EXPECT_DOUBLE_EQ(time.low() / 1_s, 3.6);
  EXPECT_DOUBLE_EQ(time.high() / 1_s, 4.4);
  EXPECT_EQ(time.erased().dimension, Dimension{.time = 1});
}

TEST(EstimateTest, TheIntervalAlwaysHoldsTheValue) {
  const auto estimate = ratio(5, 6, 4);  // Ends the wrong way round are drawn to the value.
  EXPECT_DOUBLE_EQ(estimate.low(), 5);
  EXPECT_DOUBLE_EQ(estimate.high(), 5);
  const auto negative = EstimateOf<double>::within(-10, 0.1, Basis::kModelled, "a");
  EXPECT_DOUBLE_EQ(negative.low(), -11);
  EXPECT_DOUBLE_EQ(negative.high(), -9);
}

TEST(EstimateTest, BasisFollowsTheWeakestUnlessAFitTookPart) {
  constexpr Basis kBases[] = {Basis::kMeasured, Basis::kCalibrated, Basis::kModelled,
                              Basis::kAssumed};
  EXPECT_EQ(derived_basis(Basis::kAssumed, Basis::kAssumed), Basis::kAssumed);
  EXPECT_EQ(derived_basis(Basis::kAssumed, Basis::kMeasured), Basis::kModelled);
  EXPECT_EQ(derived_basis(Basis::kMeasured, Basis::kMeasured), Basis::kModelled);
  EXPECT_EQ(derived_basis(Basis::kCalibrated, Basis::kModelled), Basis::kCalibrated);
  for (const Basis a : kBases) {
    for (const Basis b : kBases) {
      EXPECT_EQ(derived_basis(a, b), derived_basis(b, a));
      EXPECT_NE(derived_basis(a, b), Basis::kMeasured);
      for (const Basis c : kBases) {
        EXPECT_EQ(derived_basis(derived_basis(a, b), c), derived_basis(a, derived_basis(b, c)));
      }
    }
  }
}

TEST(EstimateTest, AMeasuredNumberStaysMeasuredOnlyUntouched) {
  const auto measured = ratio(10, 9, 11, Basis::kMeasured);
  EXPECT_EQ(measured.basis(), Basis::kMeasured);
  EXPECT_EQ((measured * 2).basis(), Basis::kModelled);
  EXPECT_EQ((ratio(1, 1, 1, Basis::kAssumed) * 2).basis(), Basis::kAssumed);
  EXPECT_EQ(basis_name(measured.basis()), "measured");
  EXPECT_EQ(basis_name(Basis::kCalibrated), "calibrated");
  EXPECT_EQ(basis_name(Basis::kModelled), "modelled");
  EXPECT_EQ(basis_name(Basis::kAssumed), "assumed");
}

TEST(EstimateTest, SourcesAreNamedOnceAndSorted) {
  EXPECT_EQ(merged_sources("b; a", "c; a"), "a; b; c");
  EXPECT_EQ(merged_sources("", "a"), "a");
  EXPECT_EQ(merged_sources("", ""), "");
}

TEST(EstimateTest, TheIndependentIntervalLiesWithinTheCorrelatedOne) {
  std::mt19937_64 engine(5);
  for (int i = 0; i < 2000; ++i) {
    const double smallest = i % 2 == 0 ? 0.01 : -100.0;
    const Estimate a = random_estimate(engine, smallest);
    const Estimate b = random_estimate(engine, smallest);
    for (const auto operation : {add, subtract, multiply, divide}) {
      const Estimate narrow = operation(a, b, Errors::kIndependent);
      const Estimate wide = operation(a, b, Errors::kCorrelated);
      ASSERT_TRUE(is_sound(narrow));
      ASSERT_TRUE(is_sound(wide));
      ASSERT_EQ(narrow.value, wide.value);
      expect_within(narrow, wide);
    }
  }
}

TEST(EstimateTest, TheCorrelatedIntervalHoldsWhateverTheInputsAre) {
  std::mt19937_64 engine(6);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int i = 0; i < 2000; ++i) {
    const Estimate a = random_estimate(engine, 0.01);
    const Estimate b = random_estimate(engine, 0.01);
    const double x = a.low + share(engine) * (a.high - a.low);
    const double y = b.low + share(engine) * (b.high - b.low);
    const auto holds = [](const Estimate& e, double truth) {
      const double slack = 1e-12 * (std::abs(e.low) + std::abs(e.high));
      return e.low - slack <= truth && truth <= e.high + slack;
    };
    ASSERT_TRUE(holds(add(a, b, Errors::kCorrelated), x + y));
    ASSERT_TRUE(holds(subtract(a, b, Errors::kCorrelated), x - y));
    ASSERT_TRUE(holds(multiply(a, b, Errors::kCorrelated), x * y));
    ASSERT_TRUE(holds(divide(a, b, Errors::kCorrelated), x / y));
  }
}

}  // namespace
}  // namespace loadfactor
