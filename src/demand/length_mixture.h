// Lengths as a mixture of lognormals, cut at the longest that occurs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace loadfactor::demand {

struct LengthComponent {
  double share = 1;
  double mu = 0;
  double sigma = 0;

  bool operator==(const LengthComponent&) const = default;
};

struct LengthMixture {
  std::vector<LengthComponent> components;
  std::int32_t most = 1 << 20;

  bool empty() const { return components.empty(); }
  double mean() const;  // Before cutting.

  bool operator==(const LengthMixture&) const = default;
};

// At least one token. Two draws.
std::int32_t sample_length(const LengthMixture& mixture, RandomStream& stream);

// The length of a component picked by `which`, uniform in [0, 1), at `z` of its normal logarithm.
std::int32_t length_of(const LengthMixture& mixture, double which, double z);

// The nearest mixture of at most `most_components` (three at most) by expectation maximisation,
// from a few thousand evenly chosen lengths.
LengthMixture fit_lengths(std::span<const std::int32_t> lengths, int most_components = 2);

// One lognormal of the given mean and coefficient of variation.
LengthMixture lengths_of_mean(double mean, double coefficient_of_variation, std::int32_t most);

// The same shape about another mean.
LengthMixture scaled_to_mean(LengthMixture mixture, double mean);

}  // namespace loadfactor::demand
