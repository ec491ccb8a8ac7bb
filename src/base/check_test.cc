#include "base/check.h"

#include <gtest/gtest.h>

namespace loadfactor {
namespace {

TEST(CheckTest, PassesWhatHolds) {
  int evaluated = 0;
  LF_CHECK(++evaluated == 1, "counts");
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, EndsTheProgramAndNamesTheCondition) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(LF_CHECK(2 + 2 == 5, "sums are wrong"), "our bug: sums are wrong .2 . 2 == 5 at ");
}

}  // namespace
}  // namespace loadfactor
