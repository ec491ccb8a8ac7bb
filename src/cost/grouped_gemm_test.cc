#include "cost/grouped_gemm.h"

#include <gtest/gtest.h>

namespace loadfactor::cost {
namespace {

TEST(GroupedGemmTest, RowsReachFewerExpertsWhereSomeAreChosenMore) {
  // Two experts, chosen two thirds and one third of the time: of two rows both go to the first with
  // 4/9, both to the second with 1/9.
  EXPECT_NEAR(touched_experts(2, 2, 1.0, 1), 2 - 4.0 / 9 - 1.0 / 9, 1e-12);
  EXPECT_NEAR(touched_experts(2, 2, 0.0, 1), 1.5, 1e-12);
  EXPECT_LT(touched_experts(128, 64, 1.2, 1), touched_experts(128, 64, 0.6, 1));
  EXPECT_LE(touched_experts(128, 1e9, 1.2, 1), 128);
}

TEST(GroupedGemmTest, TheBusiestRankHoldsTheMostPopularOfEveryHand) {
  // One of two experts on two ranks gets 2/3 of the rows, a third above the mean of 1/2.
  EXPECT_NEAR(busiest_rank(2, 1.0, 2), 4.0 / 3, 1e-12);
  // Four experts with 12, 6, 4 and 3 of 25, dealt to two ranks: 16 on the first, 12.5 on average.
  EXPECT_NEAR(busiest_rank(4, 1.0, 2), 16 / 12.5, 1e-12);
  EXPECT_NEAR(busiest_rank(256, 0.0, 8), 1.0, 1e-12);
}

}  // namespace
}  // namespace loadfactor::cost
