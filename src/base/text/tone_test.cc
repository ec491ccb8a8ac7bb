#include "base/text/tone.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(ToneTest, PaintsAndResets) {
  EXPECT_EQ(paint("FITS", Tone::kGood, true), "\x1b[32mFITS\x1b[0m");
  for (const Tone tone : {Tone::kBad, Tone::kCaution, Tone::kDim, Tone::kStrong}) {
    EXPECT_TRUE(paint("x", tone, true).ends_with("x\x1b[0m"));
  }
}

TEST(ToneTest, LeavesTextAloneWithoutColour) {
  EXPECT_EQ(paint("FITS", Tone::kGood, false), "FITS");
  EXPECT_EQ(paint("FITS", Tone::kPlain, true), "FITS");
  EXPECT_EQ(paint("", Tone::kGood, true), "");
}

}  // namespace
}  // namespace loadfactor
