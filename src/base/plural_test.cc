#include "base/plural.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(PluralTest, OnlyOneIsSingular) {
  EXPECT_EQ(counted(1, "replica"), "1 replica");
  EXPECT_EQ(counted(0, "gap"), "0 gaps");
  EXPECT_EQ(counted(12000, "GPU"), "12,000 GPUs");
}

}  // namespace
}  // namespace loadfactor
