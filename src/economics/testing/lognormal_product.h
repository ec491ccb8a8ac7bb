// The distribution of a product of independent lognormals in closed form: what draws are held to.
#pragma once

#include <cmath>
#include <span>

#include "base/distributions.h"

namespace loadfactor::economics {

struct LognormalFactor {
  double mean = 1;
  double variation = 0;  // Coefficient of variation.
  int power = 1;         // 1 for a factor of the product, -1 for a divisor.
};

struct LognormalProduct {
  double median = 1;
  double log_sigma = 0;  // Standard deviation of the logarithm.

  double mean() const { return median * std::exp(0.5 * log_sigma * log_sigma); }
  double quantile(double probability) const {
    return median * std::exp(log_sigma * normal_quantile(probability));
  }
};

inline LognormalProduct lognormal_product(double constant,
                                          std::span<const LognormalFactor> factors) {
  double mu = 0;
  double variance = 0;
  for (const auto& factor : factors) {
    const LognormalShape shape = lognormal_shape(factor.mean, factor.variation);
    mu += factor.power * shape.mu;
    variance += shape.sigma * shape.sigma;
  }
  return {constant * std::exp(mu), std::sqrt(variance)};
}

}  // namespace loadfactor::economics
