#include "base/shares.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

EstimateOf<Hertz> full(double low, double value, double high) {
  return {Hertz::from_base(value), Hertz::from_base(low), Hertz::from_base(high),
          Basis::kCalibrated, "rows"};
}

TEST(LoadShareTest, AFasterMachineIsEmptier) {
  const auto load = load_share(0.4, full(5, 10, 20));
  EXPECT_DOUBLE_EQ(load.value(), 0.4);
  EXPECT_DOUBLE_EQ(load.low(), 0.2);
  EXPECT_DOUBLE_EQ(load.high(), 0.8);
  EXPECT_EQ(load.source(), "rows");
}

TEST(LoadShareTest, WhatFitsFillsNoMoreThanAll) {
  EXPECT_DOUBLE_EQ(load_share(0.8, full(5, 10, 20)).high(), 1);
  // What does not fit is as far beyond as was asked.
  EXPECT_DOUBLE_EQ(load_share(1.5, full(5, 10, 20)).high(), 1.5);
  EXPECT_DOUBLE_EQ(load_share(1.5, full(5, 10, 20)).low(), 0.75);
}

TEST(ShareEndsTest, TheIntervalHoldsTheShareAndNarrowsWithTheSample) {
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

TEST(ShareEndsTest, NinetyOfAHundredLieWhereTablesHaveThem) {
  EXPECT_NEAR(ends_of_share(0.9, 100).low, 0.840, 0.001);
  EXPECT_NEAR(ends_of_share(0.9, 100).high, 0.939, 0.001);
}

}  // namespace
}  // namespace loadfactor
