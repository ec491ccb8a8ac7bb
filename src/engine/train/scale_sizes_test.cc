#include "engine/train/scale_sizes.h"

#include <gtest/gtest.h>

namespace loadfactor::engine {
namespace {

TEST(ScaleSizes, HalvesGoDownToTheFewestThatHoldTheModel) {
  EXPECT_EQ(halved_sizes(64, 8), (std::vector{64, 32, 16, 8}));
  EXPECT_EQ(halved_sizes(64, 1), (std::vector{64, 32, 16, 8, 4, 2, 1}));
}

TEST(ScaleSizes, BelowAnOddSizeComePowersOfTwo) {
  EXPECT_EQ(halved_sizes(1000, 16), (std::vector{1000, 500, 250, 125, 64, 32, 16}));
  EXPECT_EQ(halved_sizes(7, 1), (std::vector{7, 4, 2, 1}));
  EXPECT_EQ(halved_sizes(1, 1), (std::vector{1}));
}

TEST(ScaleSizes, ALimitBelowWhatHoldsTheModelIsLookedAtAllTheSame) {
  EXPECT_EQ(halved_sizes(4, 16), (std::vector{4}));
}

}  // namespace
}  // namespace loadfactor::engine
