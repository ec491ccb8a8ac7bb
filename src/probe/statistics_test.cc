#include "probe/statistics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loadfactor::probe {
namespace {

TEST(ProbeStatisticsTest, TheMiddleOfFiveIsTheThird) {
  const Summary s = summarise({5, 1, 3, 2, 4});
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.best, 1);
  EXPECT_DOUBLE_EQ(s.low, 1.4);  // A tenth of the way from the first to the last.
  EXPECT_DOUBLE_EQ(s.high, 4.6);
  EXPECT_EQ(s.count, 5);
  EXPECT_DOUBLE_EQ(s.steadiness(), 1.0 / 3);
}

TEST(ProbeStatisticsTest, NothingMeasuredIsNothing) {
  EXPECT_EQ(summarise({}).count, 0);
  EXPECT_DOUBLE_EQ(summarise({}).steadiness(), 0);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(ProbeStatisticsTest, OneWildRepeatDoesNotMoveTheMiddle) {
  EXPECT_DOUBLE_EQ(summarise({2, 2, 2, 2, 1000}).median, 2);
}

TEST(ProbeStatisticsTest, ErrorsAreRelativeToTheNormOfTheReference) {
  EXPECT_DOUBLE_EQ(relative_error({3, 4}, {3, 4}), 0);
  EXPECT_DOUBLE_EQ(relative_error({3, 4.5}, {3, 4}), 0.1);  // 0.5 of 5.
}

TEST(ProbeStatisticsTest, WhatIsNotANumberNeverPasses) {
  EXPECT_TRUE(std::isinf(relative_error({1, std::nan("")}, {1, 2})));
  EXPECT_TRUE(std::isinf(relative_error({1}, {1, 2})));
  EXPECT_TRUE(std::isinf(relative_error({}, {})));
  EXPECT_TRUE(std::isinf(relative_error({1}, {0})));
}

}  // namespace
}  // namespace loadfactor::probe
