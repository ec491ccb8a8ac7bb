// The distribution of a product of independent lognormals, in closed form.
#pragma once

#include <span>
#include <vector>

namespace loadfactor::economics {

// mean and coefficient of variation of one factor, and whether it multiplies (+1) or divides (-1).
struct LognormalFactor {
  double mean = 1;
  double variation = 0;
  int power = 1;
};

struct LognormalProduct {
  double median = 1;
  double sigma = 0;            // Of the logarithm.
  std::vector<double> shares;  // Of the variance of the logarithm, by factor.

  double mean() const;
  double quantile(double probability) const;
};

LognormalProduct lognormal_product(double constant, std::span<const LognormalFactor> factors);

}  // namespace loadfactor::economics
