#include "sweep/samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>

#include "base/check.h"
#include "base/random.h"

namespace loadfactor::sweep {
namespace {

constexpr unsigned kBits = 32;

// A primitive polynomial over two elements and the first direction numbers [Joe 2008].
struct Direction {
  unsigned degree;
  unsigned coefficients;
  std::array<std::uint32_t, 7> first;
};
constexpr std::array<Direction, kMostDimensions - 1> kDirections{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

std::array<std::uint32_t, kBits> directions_of(std::size_t dimension) {
  std::array<std::uint32_t, kBits> v{};
  if (dimension == 0) {
    for (unsigned i = 0; i < kBits; ++i) v[i] = 1U << (kBits - 1 - i);
    return v;
  }
  const Direction& row = kDirections[dimension - 1];
  for (unsigned i = 0; i < row.degree; ++i) v[i] = row.first[i] << (kBits - 1 - i);
  for (unsigned i = row.degree; i < kBits; ++i) {
    v[i] = v[i - row.degree] ^ (v[i - row.degree] >> row.degree);
    for (unsigned k = 1; k < row.degree; ++k) {
      const bool is_set = ((row.coefficients >> (row.degree - 1 - k)) & 1U) != 0;
      if (is_set) v[i] ^= v[i - k];
    }
  }
  return v;
}

std::vector<UnitPoint> latin_hypercube(std::size_t count, std::size_t dimensions,
                                       std::uint64_t seed) {
  const RandomStream all(seed, "latin-hypercube");
  std::vector<UnitPoint> points(count, UnitPoint(dimensions));
  std::vector<std::size_t> strip(count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    RandomStream stream = all.substream(d);
    std::iota(strip.begin(), strip.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(strip[i - 1], strip[stream.below(i)]);
    for (std::size_t i = 0; i < count; ++i)
      points[i][d] =
          (static_cast<double>(strip[i]) + stream.uniform()) / static_cast<double>(count);
  }
  return points;
}

std::vector<UnitPoint> saltelli(std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  std::vector<UnitPoint> points;
  points.reserve(count * (dimensions + 2));
  for (std::size_t row = 0; row < count; ++row) {
    const UnitPoint both = sobol_point(row, 2 * dimensions, seed);
    const auto middle = both.begin() + static_cast<std::ptrdiff_t>(dimensions);
    const UnitPoint a(both.begin(), middle);
    const UnitPoint b(middle, both.end());
    points.push_back(a);
    points.push_back(b);
    for (std::size_t d = 0; d < dimensions; ++d) {
      points.push_back(a);
      points.back()[d] = b[d];
    }
  }
  return points;
}

}  // namespace

UnitPoint sobol_point(std::uint64_t index, std::size_t dimensions, std::uint64_t seed) {
  LF_CHECK(dimensions <= kMostDimensions, "more dimensions than there are direction numbers");
  const RandomStream shifts(seed, "sobol");
  const std::uint64_t gray = index ^ (index >> 1U);
  UnitPoint point(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto v = directions_of(d);
    auto bits = static_cast<std::uint32_t>(shifts.substream(d).next());
    for (unsigned i = 0; i < kBits; ++i)
      if (((gray >> i) & 1U) != 0) bits ^= v[i];
    point[d] = std::ldexp(static_cast<double>(bits), -static_cast<int>(kBits));
  }
  return point;
}

std::vector<UnitPoint> sample_points(Sampling method, std::size_t count, std::size_t dimensions,
                                     std::uint64_t seed) {
  if (method == Sampling::kLatinHypercube) return latin_hypercube(count, dimensions, seed);
  if (method == Sampling::kSaltelli) return saltelli(count, dimensions, seed);
  std::vector<UnitPoint> points;
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) points.push_back(sobol_point(i, dimensions, seed));
  return points;
}

namespace {

class Mean {
 public:
  void take(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  double mean() const { return sum_ / count_; }
  double error() const {
    const double spread = std::max(0.0, squares_ / count_ - mean() * mean());
    return std::sqrt(spread / std::max(1.0, count_ - 1));
  }

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace

SobolIndices sobol_indices(const std::vector<double>& values, std::size_t dimensions) {
  const std::size_t width = dimensions + 2;
  std::vector<std::span<const double>> rows;
  for (std::size_t at = 0; at + width <= values.size(); at += width) {
    const std::span row(values.data() + at, width);
    if (std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); }))
      rows.push_back(row);
  }
  SobolIndices out{.of = std::vector<SobolIndex>(dimensions), .rows = rows.size()};
  if (rows.empty()) return out;
  const auto count = static_cast<double>(rows.size());
  double mean = 0;
  for (const auto row : rows) mean += (row[0] + row[1]) / (2 * count);
  for (const auto row : rows)
    out.variance += (std::pow(row[0] - mean, 2) + std::pow(row[1] - mean, 2)) / (2 * count);
  if (out.variance <= 0) return out;
  for (std::size_t d = 0; d < dimensions; ++d) {
    Mean first;
    Mean total;
    for (const auto row : rows) {
      // Estimators of Saltelli (first order) and Jansen (total).
      first.take((row[1] - mean) * (row[2 + d] - row[0]) / out.variance);
      total.take(std::pow(row[0] - row[2 + d], 2) / (2 * out.variance));
    }
    out.of[d] = {first.mean(), total.mean(), first.error(), total.error()};
  }
  return out;
}

}  // namespace loadfactor::sweep
