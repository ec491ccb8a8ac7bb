#include "base/share_ends.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

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
