#include "base/figure_text.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(FigureText, ThreeFiguresAreNeverAPowerOfTen) {
  EXPECT_EQ(three_figures(0.012345), "0.0123");
  EXPECT_EQ(three_figures(12.345), "12.3");
  EXPECT_EQ(three_figures(999.4), "999");
  EXPECT_EQ(three_figures(999.6), "1,000");
  EXPECT_EQ(three_figures(2876), "2,880");
  EXPECT_EQ(three_figures(-123456789), "-123,000,000");
  EXPECT_EQ(three_figures(0), "0");
}

}  // namespace
}  // namespace loadfactor
