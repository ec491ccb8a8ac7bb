#include "base/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "base/distributions.h"

namespace loadfactor {
namespace {

constexpr std::array<double, 5> kFive{50, 15, 40, 20, 35};

TEST(StatisticsTest, SumKeepsWhatPlainAdditionLoses) {
  EXPECT_EQ(sum(std::vector<double>{1e100, 1.0, -1e100}), 1.0);
}

TEST(StatisticsTest, MeanVarianceAndGeometricMeanOfSmallSamples) {
  EXPECT_DOUBLE_EQ(mean(kFive), 32.0);
  EXPECT_DOUBLE_EQ(sample_variance(std::vector<double>{1, 2, 3, 4}), 5.0 / 3);
  EXPECT_DOUBLE_EQ(sample_variance(std::vector<double>{7}), 0.0);
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector<double>{1, 10, 100}), 10.0);
}

TEST(StatisticsTest, NearestRankAnswersWithAMemberOfTheSample) {
  // The textbook example: ranks ⌈q·5⌉.
  EXPECT_EQ(quantile_nearest_rank(kFive, 0.05), 15);
  EXPECT_EQ(quantile_nearest_rank(kFive, 0.30), 20);
  EXPECT_EQ(quantile_nearest_rank(kFive, 0.40), 20);
  EXPECT_EQ(quantile_nearest_rank(kFive, 0.50), 35);
  EXPECT_EQ(quantile_nearest_rank(kFive, 1.00), 50);
  EXPECT_EQ(quantile_nearest_rank(kFive, 0.00), 15);
}

TEST(StatisticsTest, InterpolatedLiesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile_interpolated(kFive, 0.4), 29.0);  // Position 1.6: 20 + 0.6·15.
  EXPECT_DOUBLE_EQ(quantile_interpolated(std::vector<double>{1, 2}, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(quantile_interpolated(kFive, 1.0), 50.0);
}

TEST(StatisticsTest, EqualWeightsGiveTheNearestRank) {
  RandomStream stream(1, "weights");
  std::vector<double> values;
  values.reserve(37);
  for (int i = 0; i < 37; ++i) values.push_back(stream.uniform());
  const std::vector<double> weights(values.size(), 0.1);
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(quantile_weighted(values, weights, percent / 100.0),
              quantile_nearest_rank(values, percent / 100.0));
  }
}

TEST(StatisticsTest, AWeightOfThreeCountsAsThreeCopies) {
  const std::vector<double> values{1, 2, 9};
  const std::vector<double> weights{1, 3, 0};
  EXPECT_EQ(quantile_weighted(values, weights, 0.25), 1);
  EXPECT_EQ(quantile_weighted(values, weights, 0.26), 2);
  EXPECT_EQ(quantile_weighted(values, weights, 1.0), 2);  // Weight 0 is not there.
}

TEST(StatisticsTest, MedianAbsoluteDeviationIgnoresAnOutlier) {
  // Median 2, distances 1 1 0 0 2 4 7, their median 1.
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1.0);
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9e9}), 1.0);
}

double kendall_tau_by_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  double concordance = 0;
  double x_pairs = 0;
  double y_pairs = 0;
  const auto sign = [](double v) { return (v > 0) - (v < 0); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      concordance += sign(x[i] - x[j]) * sign(y[i] - y[j]);
      x_pairs += x[i] != x[j] ? 1 : 0;
      y_pairs += y[i] != y[j] ? 1 : 0;
    }
  }
  return x_pairs * y_pairs == 0 ? 0 : concordance / std::sqrt(x_pairs * y_pairs);
}

TEST(KendallTauTest, IsOneForTheSameOrderAndMinusOneForTheReverse) {
  const std::vector<double> x{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(kendall_tau(x, std::vector<double>{10, 20, 40, 80}), 1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(x, std::vector<double>{4, 3, 2, 1}), -1.0);
  EXPECT_DOUBLE_EQ(kendall_tau(x, std::vector<double>{1, 3, 2, 4}), 4.0 / 6);  // 5 - 1 of 6.
  EXPECT_DOUBLE_EQ(kendall_tau(x, std::vector<double>{5, 5, 5, 5}), 0.0);
}

TEST(KendallTauTest, AgreesWithCountingPairsWhateverTheTies) {
  RandomStream stream(4, "tau");
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<std::size_t>(2 + stream.below(20));
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(stream.below(6)));
      y.push_back(static_cast<double>(stream.below(6)));
    }
    ASSERT_NEAR(kendall_tau(x, y), kendall_tau_by_pairs(x, y), 1e-12);
  }
}

TEST(RunningMomentsTest, MergingPartsEqualsSeeingTheWhole) {
  RandomStream stream(4, "moments");
  for (int trial = 0; trial < 50; ++trial) {
    RunningMoments whole;
    RunningMoments left;
    RunningMoments right;
    for (int i = 0; i < 100; ++i) {
      const double value = normal(stream, 1000, 3);
      whole.add(value);
      (stream.uniform() < 0.3 ? left : right).add(value);
    }
    left.merge(right);
    left.merge(RunningMoments());
    EXPECT_EQ(left.count(), whole.count());
    EXPECT_NEAR(left.mean(), whole.mean(), 1e-10);
    EXPECT_NEAR(left.sample_variance(), whole.sample_variance(), 1e-9);
    EXPECT_EQ(left.minimum(), whole.minimum());
    EXPECT_EQ(left.maximum(), whole.maximum());
  }
}

}  // namespace
}  // namespace loadfactor
