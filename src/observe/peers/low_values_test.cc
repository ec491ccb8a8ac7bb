// Values that are low beside their peers: the test's distribution, and what it names.
#include "observe/peers/low_values.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

TEST(LowValues, StudentsTailIsThatOfTables) {
  EXPECT_NEAR(student_tail(-2.228, 10), 0.025, 1e-4);
  EXPECT_NEAR(student_tail(-1.96, 1e6), 0.025, 1e-4);
  EXPECT_NEAR(student_tail(0, 5), 0.5, 1e-9);
}

// Sixteen that differ by chance alone, ten thousand times: one is named about as often as is said,
// and never much more.
TEST(LowValues, OneThatIsUsualIsNamedNoMoreOftenThanIsSaid) {
  std::mt19937 random(7);
  std::normal_distribution<double> spread(0, 0.02);
  constexpr int kTimes = 10000;
  constexpr std::size_t kCount = 16;
  int named = 0;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> values(kCount);
    for (double& value : values) value = spread(random);
    std::sort(values.begin(), values.end());
    named += lows_of(values, {kCount, 0.05, 0.01}).empty() ? 0 : 1;
  }
  EXPECT_LT(named, 0.07 * kTimes);
  EXPECT_GT(named, 0.02 * kTimes);
}

TEST(LowValues, OneThatIsLowIsNamedWithItsStatistic) {
  std::vector<double> values(15, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.002 * static_cast<double>(i % 5);
  values.push_back(std::log(0.9));
  std::sort(values.begin(), values.end());
  const auto lows = lows_of(values, {16, 0.01, 0.04});
  ASSERT_EQ(lows.size(), 1U);
  EXPECT_LT(lows[0].statistic, -5);
  EXPECT_LT(lows[0].probability, 0.01);
}

}  // namespace
}  // namespace loadfactor::observe
