// Statistics of samples, exact and without surprises: each quantile says which one it is.
//
// All take finite values; those that have no meaning for an empty sample require one value.
#pragma once

#include <cstdint>
#include <span>

namespace loadfactor {

// Summed with compensation, so that the order of the values changes the last bit at most.
double sum(std::span<const double> values);
double mean(std::span<const double> values);

// Divides by n - 1; 0 for a single value.
double sample_variance(std::span<const double> values);

// All values must be positive.
double geometric_mean(std::span<const double> values);

// The smallest value with at least a share q of the sample at or below it: always one of
// the values. q in [0, 1]; q = 0 is the minimum.
double quantile_nearest_rank(std::span<const double> values, double q);

// Linear between the two values around position q·(n - 1), the default of R and NumPy.
double quantile_interpolated(std::span<const double> values, double q);

// The smallest value with at least a share q of the total weight at or below it. With equal
// weights this is quantile_nearest_rank. Weights are not negative and not all zero.
double quantile_weighted(std::span<const double> values, std::span<const double> weights, double q);

// Median of the distances from the median, both interpolated; not scaled to a normal.
double median_absolute_deviation(std::span<const double> values);

// Rank correlation in [-1, 1], ties accounted for (tau-b); 0 when either side is constant.
// O(n log n) [Knight 1966].
double kendall_tau(std::span<const double> x, std::span<const double> y);

// Moments of a stream of values; two of them merge into what one would have seen.
// [Welford 1962; Chan, Golub & LeVeque 1979]
class RunningMoments {
 public:
  void add(double value);
  void merge(const RunningMoments& other);

  std::int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double sample_variance() const;
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // Sum of squared distances from the mean.
  double minimum_ = 0;
  double maximum_ = 0;
};

}  // namespace loadfactor
