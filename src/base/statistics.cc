#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace loadfactor {

double sum(std::span<const double> values) {
  // [Neumaier 1974]
  double total = 0;
  double lost = 0;
  for (const double value : values) {
    const double next = total + value;
    lost += std::fabs(total) >= std::fabs(value) ? (total - next) + value : (value - next) + total;
    total = next;
  }
  return total + lost;
}

double mean(std::span<const double> values) {
  LF_CHECK(!values.empty(), "a mean needs values");
  return sum(values) / static_cast<double>(values.size());
}

double quantile_nearest_rank(std::span<const double> values, double q) {
  LF_CHECK(!values.empty() && q >= 0 && q <= 1, "a quantile needs values and q in [0, 1]");
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  std::vector<double> copy(values.begin(), values.end());
  const auto place = copy.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(copy.begin(), place, copy.end());
  return *place;
}

double quantile_weighted(std::span<const double> values, std::span<const double> weights,
                         double q) {
  LF_CHECK(!values.empty() && values.size() == weights.size() && q >= 0 && q <= 1,
           "a quantile needs values, their weights and q in [0, 1]");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double total = sum(weights);
  LF_CHECK(total > 0, "some weight must be positive");
  // A share of a rounding error must not push the quantile to the next value.
  const double target = q * total * (1.0 - 1e-12);
  double cumulative = 0;
  double last = values[order.front()];
  for (const std::size_t i : order) {
    if (weights[i] <= 0) continue;
    cumulative += weights[i];
    last = values[i];
    if (cumulative >= target) break;
  }
  return last;
}

namespace {

constexpr double kScore = 1.6448536269514722;  // Nine of ten normal values lie so near zero.

}  // namespace

double deviation_of_nine_in_ten(double width) {
  return width / (2 * kScore);
}

ShareEnds ends_of_share(double share, double size) {
  if (size <= 0) return {};
  const double spread = kScore * kScore / size;
  const double middle = (share + spread / 2) / (1 + spread);
  const double half = std::sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

void MovedFigure::move(double at_low, double at_high) {
  const double down = value_ - std::min({value_, at_low, at_high});
  const double up = std::max({value_, at_low, at_high}) - value_;
  below_ += down * down;
  above_ += up * up;
}

double MovedFigure::low() const {
  return value_ - std::sqrt(below_);
}

double MovedFigure::high() const {
  return value_ + std::sqrt(above_);
}

}  // namespace loadfactor
