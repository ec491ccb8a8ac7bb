#include "base/distributions.h"

#include <cmath>
#include <functional>
#include <vector>

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

TEST(DistributionsTest, GammaOfEveryShapeHasItsMoments) {
  for (const double shape : {0.1, 0.5, 1.0, 2.5, 40.0}) {
    SCOPED_TRACE(shape);
    expect_moments(moments_of([=](RandomStream& s) { return gamma(s, shape, 2); }, "gamma"),
                   {2 * shape, 4 * shape}, 0.06);
  }
}

// The method as it was published, every draw held to the test itself.
double gamma_without_squeeze(RandomStream& stream, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal_quantile(stream.uniform_open());
    const double u = stream.uniform_open();
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

TEST(DistributionsTest, TheSqueezeOfGammaAcceptsNothingThatTheTestRejects) {
  for (const double shape : {1.0, 1.3, 2.0, 7.5, 60.0}) {
    RandomStream quick(3, "squeeze");
    RandomStream plain(3, "squeeze");
    for (int i = 0; i < 20'000; ++i)
      ASSERT_EQ(gamma(quick, shape, 1), gamma_without_squeeze(plain, shape)) << shape << " " << i;
  }
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

TEST(DistributionsTest, NormalQuantilesOfManyAreThoseOfEach) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 4'099U}) {
    RandomStream stream(3, "many");
    std::vector<double> many(count);
    for (std::size_t i = 0; i < count; ++i)
      many[i] = i % 5 == 0 ? std::pow(stream.uniform_open(), 40) : stream.uniform_open();
    std::vector<double> each;
    for (const double probability : many) each.push_back(normal_quantile(probability));
    replace_by_normal_quantiles(many);
    EXPECT_EQ(many, each);
  }
}

}  // namespace
}  // namespace loadfactor
