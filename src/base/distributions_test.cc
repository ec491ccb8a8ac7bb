#include "base/distributions.h"

#include <cmath>
#include <functional>

#include <boost/math/special_functions/erf.hpp>
#include <gtest/gtest.h>

namespace loadfactor {
namespace {

constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(const std::function<double(RandomStream&)>& draw, const char* owner) {
  RandomStream stream(2024, owner);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = draw(stream);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

// The mean may stray by four standard errors, the variance by `tolerance` of itself.
void expect_moments(const Moments& found, const Moments& expected, double tolerance = 0.03) {
  EXPECT_NEAR(found.mean, expected.mean, 4 * std::sqrt(expected.variance / kDraws));
  EXPECT_NEAR(found.variance, expected.variance, tolerance * expected.variance);
}

TEST(DistributionsTest, UniformHasItsMoments) {
  expect_moments(moments_of([](RandomStream& s) { return uniform_between(s, 2, 8); }, "uniform"),
                 {5.0, 3.0});  // (8-2)²/12.
}

TEST(DistributionsTest, ExponentialHasItsMoments) {
  expect_moments(moments_of([](RandomStream& s) { return exponential(s, 3); }, "exponential"),
                 {3.0, 9.0});
}

TEST(DistributionsTest, NormalHasItsMoments) {
  expect_moments(moments_of([](RandomStream& s) { return normal(s, -1, 2); }, "normal"),
                 {-1.0, 4.0});
}

TEST(DistributionsTest, LognormalHitsTheMeanAndSpreadAskedFor) {
  const LognormalShape shape = lognormal_shape(100, 0.5);
  expect_moments(
      moments_of([&](RandomStream& s) { return lognormal(s, shape.mu, shape.sigma); }, "log"),
      {100.0, 2500.0});
}

TEST(DistributionsTest, WeibullOfShapeTwoHasItsMoments) {
  // Mean Γ(1.5) = √π/2, variance 1 - π/4.
  expect_moments(moments_of([](RandomStream& s) { return weibull(s, 2, 1); }, "weibull"),
                 {0.8862269, 0.2146018});
}

TEST(DistributionsTest, ParetoOfTailFiveHasItsMoments) {
  // Mean a/(a-1), variance a/((a-1)²(a-2)).
  expect_moments(moments_of([](RandomStream& s) { return pareto(s, 5, 1); }, "pareto"),
                 {1.25, 5.0 / 48}, 0.1);
}

TEST(DistributionsTest, GammaOfEveryShapeHasItsMoments) {
  for (const double shape : {0.1, 0.5, 1.0, 2.5, 40.0}) {
    SCOPED_TRACE(shape);
    expect_moments(moments_of([=](RandomStream& s) { return gamma(s, shape, 2); }, "gamma"),
                   {2 * shape, 4 * shape}, 0.06);
  }
}

TEST(DistributionsTest, PoissonOfEveryMeanHasItsMoments) {
  for (const double mean : {0.0, 0.3, 4.0, 9.99, 10.0, 57.0, 1e6}) {
    SCOPED_TRACE(mean);
    expect_moments(
        moments_of([=](RandomStream& s) { return static_cast<double>(poisson(s, mean)); },
                   "poisson"),
        {mean, mean});
  }
}

TEST(DistributionsTest, PoissonByRejectionHasTheRightPointProbabilities) {
  RandomStream stream(8, "poisson");
  int at_mode = 0;
  for (int i = 0; i < kDraws; ++i) at_mode += poisson(stream, 20) == 20 ? 1 : 0;
  const double expected = std::exp(-20 + 20 * std::log(20.0) - log_factorial(20));
  EXPECT_NEAR(at_mode / static_cast<double>(kDraws), expected, 4 * std::sqrt(expected / kDraws));
}

TEST(DistributionsTest, InversionTakesOneDrawAndGrowsWithItsParameter) {
  RandomStream a(1, "pair");
  RandomStream b(1, "pair");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LE(exponential(a, 1.0), exponential(b, 1.1));
    ASSERT_LE(normal(a, 0.0, 1.0), normal(b, 0.1, 1.0));
    ASSERT_EQ(a.position(), b.position());
  }
  EXPECT_EQ(a.position(), 2000U);
}

TEST(NormalQuantileTest, AgreesWithBoostToTheLastDigits) {
  for (double p = 1e-300; p < 1e-9; p *= 1e7) {
    const double expected = -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
    EXPECT_NEAR(normal_quantile(p) / expected, 1.0, 1e-14) << p;
  }
  for (int i = 1; i < 1000; ++i) {
    const double p = i / 1000.0;
    const double expected = -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
    EXPECT_NEAR(normal_quantile(p), expected, 1e-14 * (1 + std::fabs(expected))) << p;
  }
}

TEST(NormalQuantileTest, IsSymmetric) {
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

TEST(LogFactorialTest, GrowsByTheLogarithmOfItsArgument) {
  EXPECT_DOUBLE_EQ(log_factorial(0), 0.0);
  EXPECT_DOUBLE_EQ(log_factorial(5), std::log(120.0));
  for (std::int64_t n : {1, 2, 15, 16, 17, 100, 1000}) {
    EXPECT_NEAR(log_factorial(n) - log_factorial(n - 1), std::log(static_cast<double>(n)),
                1e-14 * log_factorial(n) + 1e-14);
  }
}

}  // namespace
}  // namespace loadfactor
