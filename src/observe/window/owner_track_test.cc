#include "observe/window/owner_track.h"

#include <gtest/gtest.h>

namespace loadfactor::observe {
namespace {

TEST(OwnerTrack, OwnersBeyondTwoBytesKeepTheirNumbers) {
  OwnerTrack track;
  constexpr int kSlots = 4;
  EXPECT_EQ(track.at(0), kNoOwner);
  track.set(1, 70'000, kSlots);
  track.set(2, 140'000, kSlots);
  track.copy(2, 3);
  EXPECT_EQ(track.at(0), kNoOwner);
  EXPECT_EQ(track.at(1), 70'000U);
  EXPECT_EQ(track.at(3), 140'000U);
  EXPECT_TRUE(track.contains(70'000));
  EXPECT_FALSE(track.contains(70'000 - 65'536));
}

}  // namespace
}  // namespace loadfactor::observe
