// Least squares that a few wild measurements cannot move.
//
// Levenberg–Marquardt on residuals weighted as a Student t of kDegrees degrees of freedom would:
// w = (ν + 1) / (ν + (r/s)²), with s the robust spread of the residuals, found anew in each
// round. Derivatives are differences; parameters are kept inside their bounds. Deterministic.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace loadfactor::calibrate {

inline constexpr double kDegrees = 3.0;

struct FreeParameter {
  double start = 0.0;  // Where the search begins.
  double low = 0.0;
  double high = 0.0;
  // A weak pull towards `prior` with this standard deviation; 0 pulls not at all. It decides only
  // what the data leave open.
  double prior = 0.0;
  double looseness = 0.0;
};

struct RobustProblem {
  std::vector<FreeParameter> parameters;
  std::size_t num_residuals = 0;
  // Fills the residuals, best logarithms of ratios, for given parameters.
  std::function<void(std::span<const double>, std::span<double>)> residuals;
  int rounds = 30;
  double least_spread = 0.02;
};

struct RobustResult {
  std::vector<double> values;
  double spread = 0.0;  // Robust standard deviation of the residuals.
  double loss = 0.0;    // Loss of the residuals at a spread of 0.1, to compare fits.
};

RobustResult fit_robust(const RobustProblem& problem);

// 1.4826 × the median of the absolute values.
double robust_spread(std::span<const double> residuals);
double student_weight(double residual, double spread);

// Solves A·x = b for symmetric positive definite A (row-major, n × n) in place; false when it is
// not. The result stands in b.
bool solve_positive(std::vector<double>& matrix, std::vector<double>& right_side);

}  // namespace loadfactor::calibrate
