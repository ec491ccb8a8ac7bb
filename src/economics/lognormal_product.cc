#include "economics/lognormal_product.h"

#include <cmath>

#include "base/distributions.h"

namespace loadfactor::economics {

double LognormalProduct::mean() const {
  return median * std::exp(0.5 * sigma * sigma);
}

double LognormalProduct::quantile(double probability) const {
  return median * std::exp(sigma * normal_quantile(probability));
}

LognormalProduct lognormal_product(double constant, std::span<const LognormalFactor> factors) {
  double mu = 0;
  double variance = 0;
  LognormalProduct product;
  for (const auto& factor : factors) {
    const LognormalShape shape = lognormal_shape(factor.mean, factor.variation);
    mu += factor.power * shape.mu;
    product.shares.push_back(shape.sigma * shape.sigma);
    variance += product.shares.back();
  }
  for (double& share : product.shares) share = variance > 0 ? share / variance : 0.0;
  product.median = constant * std::exp(mu);
  product.sigma = std::sqrt(variance);
  return product;
}

}  // namespace loadfactor::economics
