// A coarse table of what a closed form leaves over, on three logarithmic axes.
//
// Between nodes the correction is linear in the logarithm of each coordinate; outside it is held
// at the border. An empty grid corrects nothing.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace loadfactor::cost {

// Nodes at 2^origin, 2^(origin + step), …
struct GridAxis {
  double origin = 0.0;
  double step = 1.0;
  int nodes = 1;

  friend bool operator==(const GridAxis&, const GridAxis&) = default;
};

// The corners of the cell a point lies in, with their shares, which sum to one.
struct GridCorners {
  std::array<std::size_t, 8> index{};
  std::array<double, 8> share{};
};

// The binary logarithm of a positive number to 0.002, continuous and exact at powers of two: all
// that a coarse grid needs, at a fifth of the library's time.
inline double grid_log2(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52U) - 1023);
  const double mantissa =
      std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  const double t = mantissa - 1.0;
  return exponent + t * (1.4249 + t * (-0.5847 + t * 0.1598));
}

// A point by the binary logarithms of its coordinates.
using GridPoint = std::array<double, 3>;

class CorrectionGrid {
 public:
  CorrectionGrid() = default;
  // `values` run fastest along the last axis; their number is the product of the axes' nodes.
  CorrectionGrid(const std::array<GridAxis, 3>& axes, std::vector<double> values);

  bool empty() const { return values_ == nullptr; }
  const std::array<GridAxis, 3>& axes() const { return axes_; }
  // Not for an empty grid.
  const std::vector<double>& values() const { return *values_; }

  // The natural logarithm of the factor at a point.
  double at(const GridPoint& point) const;
  GridCorners corners(const GridPoint& point) const;

 private:
  std::array<GridAxis, 3> axes_{};
  std::array<double, 3> inverse_step_{};
  std::array<std::size_t, 3> stride_{};
  std::shared_ptr<const std::vector<double>> values_;  // Shared by copies; never changed.
};

// The number of nodes of a grid with these axes.
std::size_t num_nodes(const std::array<GridAxis, 3>& axes);

}  // namespace loadfactor::cost
