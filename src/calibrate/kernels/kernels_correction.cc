#include "calibrate/kernels/kernels_correction.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "calibrate/robust_fit.h"

namespace loadfactor::calibrate {
namespace {

using Axes = std::array<cost::GridAxis, 3>;

// In units of one measurement's weight: how much a difference of neighbours and a value cost.
constexpr double kSmoothness = 0.03;
constexpr double kShrinkage = 0.02;
constexpr double kLeastSpread = 0.02;
constexpr double kLargest = 1.0;  // No factor beyond e.

struct Equations {
  std::vector<double> matrix;
  std::vector<double> right_side;
};

void add_penalties(const Axes& axes, Equations& equations) {
  const std::size_t n = equations.right_side.size();
  std::size_t stride = n;
  for (const cost::GridAxis& axis : axes) {
    const auto nodes = static_cast<std::size_t>(axis.nodes);
    stride /= nodes;
    for (std::size_t i = 0; i < n; ++i) {
      if ((i / stride) % nodes + 1 == nodes) continue;
      const std::size_t next = i + stride;
      equations.matrix[i * n + i] += kSmoothness;
      equations.matrix[next * n + next] += kSmoothness;
      equations.matrix[i * n + next] -= kSmoothness;
      equations.matrix[next * n + i] -= kSmoothness;
    }
  }
  for (std::size_t i = 0; i < n; ++i) equations.matrix[i * n + i] += kShrinkage;
}

void add_point(const cost::GridCorners& corners, double weight, double target,
               Equations& equations) {
  const std::size_t n = equations.right_side.size();
  for (std::size_t a = 0; a < 8; ++a) {
    if (corners.share[a] == 0.0) continue;
    equations.right_side[corners.index[a]] += weight * corners.share[a] * target;
    for (std::size_t b = 0; b < 8; ++b) {
      equations.matrix[corners.index[a] * n + corners.index[b]] +=
          weight * corners.share[a] * corners.share[b];
    }
  }
}

}  // namespace

cost::CorrectionGrid limit_slopes(const cost::CorrectionGrid& grid,
                                  const std::array<Slope, 3>& slopes) {
  if (grid.empty()) return grid;
  std::vector<double> values = grid.values();
  std::size_t stride = values.size();
  for (std::size_t a = 0; a < 3; ++a) {
    const cost::GridAxis& axis = grid.axes()[a];
    const auto nodes = static_cast<std::size_t>(axis.nodes);
    stride /= nodes;
    const double fall = slopes[a].fall * axis.step;
    std::vector<double> above = values;
    std::vector<double> below = values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t node = (i / stride) % nodes;
      if (node > 0) above[i] = std::max(above[i], above[i - stride] - fall);
    }
    for (std::size_t i = values.size(); i-- > 0;) {
      const std::size_t node = (i / stride) % nodes;
      if (node + 1 < nodes) below[i] = std::min(below[i], below[i + stride] + fall);
    }
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * (above[i] + below[i]);
  }
  // Whole thousandths, as the file keeps them.
  for (double& value : values) value = std::round(value * 1000.0) / 1000.0;
  return {grid.axes(), std::move(values)};
}

cost::CorrectionGrid fit_correction(std::span<const CorrectionPoint> points, const Axes& axes,
                                    const std::array<Slope, 3>& slopes) {
  const std::size_t n = cost::num_nodes(axes);
  if (n == 1) return {};
  cost::CorrectionGrid grid(axes, std::vector<double>(n, 0.0));
  std::vector<double> residuals(points.size());
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      residuals[i] = points[i].log_ratio - grid.at(points[i].point);
    }
    const double spread = std::max(kLeastSpread, robust_spread(residuals));
    Equations equations{std::vector<double>(n * n, 0.0), std::vector<double>(n, 0.0)};
    add_penalties(axes, equations);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double weight = points[i].weight * student_weight(residuals[i], spread);
      add_point(grid.corners(points[i].point), weight, points[i].log_ratio, equations);
    }
    if (!solve_positive(equations.matrix, equations.right_side)) return {};
    for (double& value : equations.right_side) {
      value = std::clamp(value, -kLargest, kLargest);
    }
    grid = cost::CorrectionGrid(axes, std::move(equations.right_side));
  }
  return limit_slopes(grid, slopes);
}

}  // namespace loadfactor::calibrate
