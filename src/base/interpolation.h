// Curves through measured points. What happens outside them is the caller's explicit choice.
#pragma once

#include <cstddef>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor {

enum class Outside {
  kClamp,        // Hold the value of the nearest end.
  kExtrapolate,  // Continue with the slope of the nearest end.
};

// Straight lines between points.
class PiecewiseLinear {
 public:
  // LF209 unless there is at least one point, x and y are as many, all are finite and x rises.
  static Result<PiecewiseLinear> make(std::vector<double> x, std::vector<double> y);

  double operator()(double x, Outside outside) const;

 private:
  PiecewiseLinear(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)) {}

  std::vector<double> x_;
  std::vector<double> y_;
};

// A smooth curve in log-log space that never overshoots: it rises exactly where the points
// rise, so that a power law stays one (cubic Hermite, slopes by [Fritsch & Butland 1984]).
class MonotoneLogLog {
 public:
  // As above, and every x and y is positive.
  static Result<MonotoneLogLog> make(const std::vector<double>& x, const std::vector<double>& y);

  // x must be positive. Extrapolation is a power law.
  double operator()(double x, Outside outside) const;

 private:
  MonotoneLogLog() = default;

  std::vector<double> x_;  // Logarithms.
  std::vector<double> y_;
  std::vector<double> slope_;
};

// Bilinear on a full rectangular grid.
class BilinearGrid {
 public:
  // `values` is row-major: values[i * y.size() + j] stands at (x[i], y[j]).
  static Result<BilinearGrid> make(std::vector<double> x, std::vector<double> y,
                                   std::vector<double> values);

  double operator()(double x, double y, Outside outside) const;

 private:
  BilinearGrid() = default;

  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> values_;
};

}  // namespace loadfactor
