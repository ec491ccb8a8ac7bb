// Statistics of samples, exact and without surprises: each quantile says which one it is.
//
// All take finite values; those that have no meaning for an empty sample require one value.
#pragma once

#include <span>

namespace loadfactor {

// Summed with compensation, so that the order of the values changes the last bit at most.
double sum(std::span<const double> values);
double mean(std::span<const double> values);

// The smallest value with at least a share q of the sample at or below it: always one of
// the values. q in [0, 1]; q = 0 is the minimum.
double quantile_nearest_rank(std::span<const double> values, double q);

// The smallest value with at least a share q of the total weight at or below it. With equal
// weights this is quantile_nearest_rank. Weights are not negative and not all zero.
double quantile_weighted(std::span<const double> values, std::span<const double> weights, double q);

// The standard deviation of a normal variable of whose values nine of ten lie in so wide an
// interval about the middle.
double deviation_of_nine_in_ten(double width);

// Nine of ten such intervals hold the share of an endless sample, where one of this size shows so
// much [Wilson 1927].
struct ShareEnds {
  double low = 0;
  double high = 1;
};
ShareEnds ends_of_share(double share, double size);

// A figure and how far uncertain inputs move it: independent errors, which add as a root of
// squares.
class MovedFigure {
 public:
  explicit MovedFigure(double value) : value_(value) {}
  // What the figure is with one input at its two ends.
  void move(double at_low, double at_high);
  double low() const;
  double high() const;

 private:
  double value_;
  double below_ = 0;  // Squares.
  double above_ = 0;
};

}  // namespace loadfactor
