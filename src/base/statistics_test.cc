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

TEST(StatisticsTest, TheMeanIsTheSumOverTheCount) {
  EXPECT_DOUBLE_EQ(mean(kFive), 32.0);
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

TEST(StatisticsTest, TheIntervalOfAShareHoldsItAndNarrowsWithTheSample) {
  for (const double share : {0.0, 0.3, 1.0}) {
    double wider = 1;
    for (const double size : {10.0, 100.0, 10000.0}) {
      const ShareEnds ends = ends_of_share(share, size);
      EXPECT_LE(ends.low, share + 1e-12);
      EXPECT_GE(ends.high, share - 1e-12);
      EXPECT_GE(ends.low, 0);
      EXPECT_LE(ends.high, 1);
      EXPECT_LT(ends.high - ends.low, wider);
      wider = ends.high - ends.low;
    }
  }
}

TEST(StatisticsTest, NinetyOfAHundredLieWhereTablesHaveThem) {
  EXPECT_NEAR(ends_of_share(0.9, 100).low, 0.840, 0.001);
  EXPECT_NEAR(ends_of_share(0.9, 100).high, 0.939, 0.001);
}

}  // namespace
}  // namespace loadfactor
