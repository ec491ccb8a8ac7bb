#include "base/load_share.h"

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

}  // namespace
}  // namespace loadfactor
