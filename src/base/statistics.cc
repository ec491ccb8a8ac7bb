#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace loadfactor {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

std::int64_t pairs(std::int64_t n) {
  return n * (n - 1) / 2;
}

// Counts the pairs that are equal in a sorted sequence, by runs.
template <typename Equal>
std::int64_t tied_pairs(std::size_t n, Equal equal) {
  std::int64_t ties = 0;
  std::int64_t run = 1;
  for (std::size_t i = 1; i < n; ++i) {
    run = equal(i - 1, i) ? run + 1 : 1;
    ties += run - 1;
  }
  return ties;
}

// Sorts `values` and returns how many pairs stood in descending order (merge sort).
std::int64_t sort_counting_inversions(std::span<double> values, std::vector<double>& spare) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  const auto left = values.subspan(0, half);
  const auto right = values.subspan(half);
  std::int64_t inversions =
      sort_counting_inversions(left, spare) + sort_counting_inversions(right, spare);
  spare.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (right[j] < left[i]) {
      inversions += static_cast<std::int64_t>(left.size() - i);
      spare.push_back(right[j++]);
    } else {
      spare.push_back(left[i++]);
    }
  }
  spare.insert(spare.end(), left.begin() + static_cast<std::ptrdiff_t>(i), left.end());
  spare.insert(spare.end(), right.begin() + static_cast<std::ptrdiff_t>(j), right.end());
  std::copy(spare.begin(), spare.end(), values.begin());
  return inversions;
}

}  // namespace

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

double sample_variance(std::span<const double> values) {
  RunningMoments moments;
  for (const double value : values) moments.add(value);
  return moments.sample_variance();
}

double geometric_mean(std::span<const double> values) {
  std::vector<double> logarithms;
  logarithms.reserve(values.size());
  for (const double value : values) {
    LF_CHECK(value > 0, "a geometric mean needs positive values");
    logarithms.push_back(std::log(value));
  }
  return std::exp(mean(logarithms));
}

double quantile_nearest_rank(std::span<const double> values, double q) {
  LF_CHECK(!values.empty() && q >= 0 && q <= 1, "a quantile needs values and q in [0, 1]");
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  std::vector<double> copy(values.begin(), values.end());
  const auto place = copy.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(copy.begin(), place, copy.end());
  return *place;
}

double quantile_interpolated(std::span<const double> values, double q) {
  LF_CHECK(!values.empty() && q >= 0 && q <= 1, "a quantile needs values and q in [0, 1]");
  const std::vector<double> ordered = sorted(values);
  const double position = q * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  const double share = position - static_cast<double>(below);
  return ordered[below] + share * (ordered[above] - ordered[below]);
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

double median_absolute_deviation(std::span<const double> values) {
  const double median = quantile_interpolated(values, 0.5);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::fabs(value - median));
  return quantile_interpolated(distances, 0.5);
}

double kendall_tau(std::span<const double> x, std::span<const double> y) {
  LF_CHECK(x.size() == y.size(), "a rank correlation needs pairs");
  const std::size_t n = x.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return x[a] != x[b] ? x[a] < x[b] : (y[a] != y[b] ? y[a] < y[b] : a < b);
  });
  const auto same_x = [&](std::size_t a, std::size_t b) { return x[order[a]] == x[order[b]]; };
  const auto same_y = [&](std::size_t a, std::size_t b) { return y[order[a]] == y[order[b]]; };
  const std::int64_t x_ties = tied_pairs(n, same_x);
  const std::int64_t both_ties =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return same_x(a, b) && same_y(a, b); });

  std::vector<double> ranked;
  ranked.reserve(n);
  for (const std::size_t i : order) ranked.push_back(y[i]);
  std::vector<double> spare;
  const std::int64_t discordant = sort_counting_inversions(ranked, spare);
  const std::int64_t y_ties =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return ranked[a] == ranked[b]; });

  const std::int64_t all = pairs(static_cast<std::int64_t>(n));
  const double scale =
      std::sqrt(static_cast<double>(all - x_ties)) * std::sqrt(static_cast<double>(all - y_ties));
  if (scale == 0) return 0;
  return static_cast<double>(all - x_ties - y_ties + both_ties - 2 * discordant) / scale;
}

void RunningMoments::add(double value) {
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  ++count_;
  const double distance = value - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (value - mean_);
}

void RunningMoments::merge(const RunningMoments& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(count_);
  const auto theirs = static_cast<double>(other.count_);
  const double distance = other.mean_ - mean_;
  mean_ += distance * theirs / (mine + theirs);
  squares_ += other.squares_ + distance * distance * mine * theirs / (mine + theirs);
  count_ += other.count_;
  minimum_ = std::min(minimum_, other.minimum_);
  maximum_ = std::max(maximum_, other.maximum_);
}

double RunningMoments::sample_variance() const {
  return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1);
}

}  // namespace loadfactor
