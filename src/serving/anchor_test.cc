#include "serving/anchor.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loadfactor::serving {
namespace {

TEST(AnchorTest, TheSamePointKeepsMostOfTheDeviation) {
  EXPECT_DOUBLE_EQ(carried_share({16, 200}, {16, 200}), 0.9);
}

TEST(AnchorTest, FartherLoadsKeepLessInBothDirections) {
  EXPECT_DOUBLE_EQ(carried_share({1}, {64}), carried_share({64}, {1}));
  EXPECT_LT(carried_share({1}, {64}), carried_share({1}, {8}));
  EXPECT_NEAR(carried_share({1}, {std::exp(1.25)}), 0.9 / std::exp(1.0), 1e-12);
}

TEST(AnchorTest, LongerAnswersKeepLessButMoreThanAsMuchMoreLoad) {
  EXPECT_LT(carried_share({16, 200}, {16, 800}), 0.9);
  EXPECT_GT(carried_share({16, 200}, {16, 800}), carried_share({16, 200}, {64, 200}));
}

TEST(AnchorTest, WhatIsUnknownCountsAsTheSame) {
  EXPECT_DOUBLE_EQ(carried_share({0, 200}, {16, 0}), 0.9);
}

TEST(AnchorTest, TwiceTheLoadIsNearAndTenTimesIsNot) {
  EXPECT_TRUE(is_near({16, 200}, {32, 200}));
  EXPECT_FALSE(is_near({16, 200}, {160, 200}));
}

}  // namespace
}  // namespace loadfactor::serving
