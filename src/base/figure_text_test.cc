#include "base/figure_text.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(FigureText, AnUptimeShowsAsManyNinesAsItHas) {
  EXPECT_EQ(uptime_text(1), "100 %");
  EXPECT_EQ(uptime_text(0.999), "99.9 %");
  EXPECT_EQ(uptime_text(0.9973), "99.73 %");
  EXPECT_EQ(uptime_text(0.5), "50 %");
  EXPECT_EQ(uptime_text(0.99999), "99.999 %");
  EXPECT_EQ(uptime_text(0.9999999), "99.99999 %");
  EXPECT_EQ(uptime_text(0.99899), "99.89 %");  // Short of 99.9 %.
  EXPECT_EQ(uptime_text(1 - 1e-13), "more than 99.9999999 %");
}

TEST(FigureText, ThreeFiguresAreNeverAPowerOfTen) {
  EXPECT_EQ(three_figures(0.012345), "0.0123");
  EXPECT_EQ(three_figures(12.345), "12.3");
  EXPECT_EQ(three_figures(999.4), "999");
  EXPECT_EQ(three_figures(999.6), "1,000");
  EXPECT_EQ(three_figures(2876), "2,880");
  EXPECT_EQ(three_figures(-123456789), "-123,000,000");
  EXPECT_EQ(three_figures(0), "0");
}

TEST(FigureText, WhatCostsSomethingIsNeverSaidToCostNothing) {
  EXPECT_EQ(dollars_text(Dollars::from_base(0.4)), "$0.40");
  EXPECT_EQ(dollars_text(Dollars::from_base(0.0004)), "<$0.01");
  EXPECT_EQ(dollars_text(Dollars()), "$0");
  EXPECT_EQ(dollars_text(Dollars::from_base(12.4)), "$12");
}

}  // namespace
}  // namespace loadfactor
