// Distributions that give the same numbers on every machine, apart from the last bit of libm.
//
// The standard library fixes its engines bit for bit but not its distributions, so ours are
// written out. Those by inversion take exactly one draw, so that changing a parameter moves
// every sample a little instead of drawing others; gamma says where it differs.
#pragma once

#include <span>

#include "base/random.h"

namespace loadfactor {

// One draw each, by inversion.
double uniform_between(RandomStream& stream, double low, double high);
double exponential(RandomStream& stream, double mean);
double normal(RandomStream& stream, double mean, double standard_deviation);

// exp(N(mu, sigma)): `mu` and `sigma` are those of the logarithm.
double lognormal(RandomStream& stream, double mu, double sigma);

// The lognormal of a given mean and coefficient of variation, as traffic is described.
struct LognormalShape {
  double mu = 0;
  double sigma = 0;
};
LognormalShape lognormal_shape(double mean, double coefficient_of_variation);

// Mean shape·scale, for any positive shape. Rejection [Marsaglia & Tsang 2000]: at least two
// draws, three below shape 1, about 5 % more than that on average.
double gamma(RandomStream& stream, double shape, double scale);

// P(N(0, 1) ≤ x).
double normal_probability(double x);

// The x with P(N(0, 1) ≤ x) = probability, 0 < probability < 1; relative error about 1e-16
// [Wichura 1988, AS 241].
double normal_quantile(double probability);

// The same of many, to the last bit, in a third of the time.
void replace_by_normal_quantiles(std::span<double> probabilities);

}  // namespace loadfactor
