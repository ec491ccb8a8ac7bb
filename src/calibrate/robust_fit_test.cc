#include "calibrate/robust_fit.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace loadfactor::calibrate {
namespace {

// Residuals of a straight line through the given points.
RobustProblem line_through(const std::vector<double>& y) {
  RobustProblem problem;
  problem.parameters = {{.start = 0, .low = -100, .high = 100},
                        {.start = 0, .low = -100, .high = 100}};
  problem.num_residuals = y.size();
  problem.residuals = [y](std::span<const double> x, std::span<double> residuals) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      residuals[i] = x[0] + x[1] * static_cast<double>(i) - y[i];
    }
  };
  return problem;
}

TEST(RobustFitTest, FindsALine) {
  const auto fit = fit_robust(line_through({1, 3, 5, 7, 9}));
  EXPECT_NEAR(fit.values[0], 1, 1e-4);
  EXPECT_NEAR(fit.values[1], 2, 1e-4);
}

TEST(RobustFitTest, OneWildPointMovesItLittle) {
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) y.push_back(1 + 2 * i + 0.01 * ((i * 7) % 5 - 2));
  y[20] += 1000;
  const auto fit = fit_robust(line_through(y));
  EXPECT_NEAR(fit.values[0], 1, 0.02);
  EXPECT_NEAR(fit.values[1], 2, 0.001);
}

TEST(RobustFitTest, StaysInsideItsBounds) {
  RobustProblem problem = line_through({1, 3, 5, 7, 9});
  problem.parameters[1].high = 1.5;
  EXPECT_LE(fit_robust(problem).values[1], 1.5);
}

TEST(RobustFitTest, SolvesPositiveEquationsAndRefusesOthers) {
  std::vector<double> matrix{4, 2, 2, 3};
  std::vector<double> right{8, 7};
  ASSERT_TRUE(solve_positive(matrix, right));
  EXPECT_NEAR(right[0], 1.25, 1e-12);
  EXPECT_NEAR(right[1], 1.5, 1e-12);
  std::vector<double> bad{0, 1, 1, 0};
  std::vector<double> any{1, 1};
  EXPECT_FALSE(solve_positive(bad, any));
}

}  // namespace
}  // namespace loadfactor::calibrate
