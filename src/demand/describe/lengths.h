// How long prompts and answers are: moments, percentiles, and how well a lognormal fits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "demand/trace.h"

namespace loadfactor::demand {

inline constexpr std::array<int, 9> kLengthPercentiles{1, 5, 10, 25, 50, 75, 90, 95, 99};

struct LengthStatistics {
  std::int64_t count = 0;
  double mean = 0;
  double cv = 0;                                                // Standard deviation over mean.
  std::array<double, kLengthPercentiles.size()> percentiles{};  // Interpolated.
  std::int64_t longest = 0;
  std::int64_t zeros = 0;
  double lognormal_mu = 0;  // Fitted to the lengths above zero.
  double lognormal_sigma = 0;
  double lognormal_ks = 0;  // Largest distance between its distribution and ours.
};

LengthStatistics describe_lengths(std::span<const std::int32_t> lengths);

// The lengths of one side of a trace.
std::vector<std::int32_t> input_lengths(const Trace& trace);
std::vector<std::int32_t> output_lengths(const Trace& trace);

// Spearman's rank correlation, ties at their mean rank; 0 when either side is constant.
double rank_correlation(std::span<const std::int32_t> x, std::span<const std::int32_t> y);

// The largest distance between the distributions of two samples.
double kolmogorov_distance(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

}  // namespace loadfactor::demand
