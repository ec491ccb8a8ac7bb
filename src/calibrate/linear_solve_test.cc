#include "calibrate/linear_solve.h"

#include <gtest/gtest.h>

namespace loadfactor::calibrate {
namespace {

// [4 2; 2 3] x = [8; 7] has x = [1.25; 1.5].
TEST(LinearSolve, SolvesASystemThatFitsOnAHand) {
  SymmetricMatrix a(2);
  a.at(0, 0) = 4;
  a.at(1, 0) = a.at(0, 1) = 2;
  a.at(1, 1) = 3;
  const auto x = solve(a, {8, 7});
  EXPECT_NEAR(x[0], 1.25, 1e-12);
  EXPECT_NEAR(x[1], 1.5, 1e-12);
}

// The inverse of [4 2; 2 3] is [3 -2; -2 4] / 8.
TEST(LinearSolve, GivesTheDiagonalOfTheInverse) {
  SymmetricMatrix a(2);
  a.at(0, 0) = 4;
  a.at(1, 0) = a.at(0, 1) = 2;
  a.at(1, 1) = 3;
  const auto diagonal = inverse_diagonal(a);
  EXPECT_NEAR(diagonal[0], 0.375, 1e-12);
  EXPECT_NEAR(diagonal[1], 0.5, 1e-12);
}

}  // namespace
}  // namespace loadfactor::calibrate
