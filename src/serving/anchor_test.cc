#include "serving/anchor.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loadfactor::serving {
namespace {

TEST(AnchorTest, TheSameLoadKeepsMostOfTheDeviation) {
  EXPECT_DOUBLE_EQ(carried_share(16, 16), 0.9);
}

TEST(AnchorTest, FartherLoadsKeepLessInBothDirections) {
  EXPECT_DOUBLE_EQ(carried_share(1, 64), carried_share(64, 1));
  EXPECT_LT(carried_share(1, 64), carried_share(1, 8));
  EXPECT_NEAR(carried_share(1, std::exp(1.5)), 0.9 / std::exp(1.0), 1e-12);
}

TEST(AnchorTest, UnknownLoadsCountAsTheSame) {
  EXPECT_DOUBLE_EQ(carried_share(0, 16), 0.9);
}

}  // namespace
}  // namespace loadfactor::serving
