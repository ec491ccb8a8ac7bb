#include "economics/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/distributions.h"
#include "base/random.h"

namespace loadfactor::economics {
namespace {

constexpr double kWidestScore = 5.0;
constexpr std::size_t kGrid = 257;

std::vector<double> cholesky(std::size_t n, std::span<const Correlation> correlations) {
  std::vector<double> a(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 1.0;
  for (const auto& c : correlations)
    a[c.first * n + c.second] = a[c.second * n + c.first] = c.value;
  std::vector<double> root(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
      root[i * n + j] = i == j ? std::sqrt(std::max(sum, 0.0)) : sum / root[j * n + j];
    }
  }
  return root;
}

void fill_column(Sample& sample, std::size_t input, RandomStream stream) {
  const std::size_t draws = sample.draws();
  std::vector<std::uint32_t> strata(draws);
  std::iota(strata.begin(), strata.end(), 0U);
  for (std::size_t i = draws; i > 1; --i) std::swap(strata[i - 1], strata[stream.below(i)]);
  std::vector<double> scores(draws);
  for (std::size_t draw = 0; draw < draws; ++draw)
    scores[draw] = (strata[draw] + stream.uniform_open()) / static_cast<double>(draws);
  replace_by_normal_quantiles(scores);
  for (std::size_t draw = 0; draw < draws; ++draw) sample.row(draw)[input] = scores[draw];
}

// Quantiles of a beta distribution at normal scores, by summing its density on a fine grid.
std::vector<double> beta_quantiles(double mean, double variation) {
  // A share near its bound cannot vary by as much as one in the middle: it stays unimodal.
  const double widest = 0.5 * std::min(mean, 1.0 - mean);
  const double deviation = std::min(mean * variation, widest);
  const double variance = deviation * deviation;
  const double total = mean * (1.0 - mean) / variance - 1.0;
  const double a = mean * total;
  const double b = (1.0 - mean) * total;
  constexpr std::size_t kCells = 20000;
  std::vector<double> below(kCells + 1, 0.0);
  for (std::size_t i = 0; i < kCells; ++i) {
    const double x = (static_cast<double>(i) + 0.5) / kCells;
    const double density = std::exp((a - 1.0) * std::log(x) + (b - 1.0) * std::log1p(-x) -
                                    (a - 1.0) * std::log(mean) - (b - 1.0) * std::log1p(-mean));
    below[i + 1] = below[i] + density;
  }
  std::vector<double> quantiles(kGrid);
  for (std::size_t g = 0; g < kGrid; ++g) {
    const double score = -kWidestScore + 2.0 * kWidestScore * static_cast<double>(g) / (kGrid - 1);
    const double wanted = normal_probability(score) * below.back();
    const auto cell = std::upper_bound(below.begin(), below.end(), wanted) - below.begin();
    const auto right = std::clamp<std::ptrdiff_t>(cell, 1, kCells);
    const double step =
        below[static_cast<std::size_t>(right)] - below[static_cast<std::size_t>(right - 1)];
    const double part =
        step > 0 ? (wanted - below[static_cast<std::size_t>(right - 1)]) / step : 0.0;
    quantiles[g] = (static_cast<double>(right - 1) + std::clamp(part, 0.0, 1.0)) / kCells;
  }
  return quantiles;
}

}  // namespace

Sample normal_scores(std::size_t inputs, std::span<const Correlation> correlations,
                     std::size_t draws, std::uint64_t seed) {
  Sample sample(draws, inputs);
  const RandomStream stream(seed, "economics.latin-hypercube");
  for (std::size_t input = 0; input < inputs; ++input)
    fill_column(sample, input, stream.substream(input));
  if (correlations.empty()) return sample;
  const auto root = cholesky(inputs, correlations);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto row = sample.row(draw);
    for (std::size_t i = inputs; i-- > 0;) {
      double value = 0;
      for (std::size_t j = 0; j <= i; ++j) value += root[i * inputs + j] * row[j];
      row[i] = value;
    }
  }
  return sample;
}

InputQuantiles::InputQuantiles(std::span<const UncertainInput> inputs) {
  for (const auto& input : inputs) {
    Row row{.input = input};
    const bool moves = input.spread != Spread::kNone && input.variation > 0;
    if (!moves) row.input.spread = Spread::kNone;
    if (row.input.spread == Spread::kLognormal) {
      const auto shape = lognormal_shape(input.mean, input.variation);
      row.mu = shape.mu;
      row.sigma = shape.sigma;
    }
    const bool is_share = input.mean > 0 && input.mean < 1;
    if (row.input.spread == Spread::kBeta && !is_share) row.input.spread = Spread::kNone;
    if (row.input.spread == Spread::kBeta) row.beta = beta_quantiles(input.mean, input.variation);
    rows_.push_back(std::move(row));
  }
}

double InputQuantiles::value(std::size_t input, double score) const {
  const Row& row = rows_[input];
  switch (row.input.spread) {
    case Spread::kNone:
      return row.input.mean;
    case Spread::kLognormal:
      return std::exp(row.mu + row.sigma * score);
    case Spread::kBeta: {
      const double clamped = std::clamp(score, -kWidestScore, kWidestScore);
      const double place = (clamped + kWidestScore) / (2.0 * kWidestScore) * (kGrid - 1);
      const auto left = std::min(static_cast<std::size_t>(place), kGrid - 2);
      const double part = place - static_cast<double>(left);
      return row.beta[left] * (1.0 - part) + row.beta[left + 1] * part;
    }
  }
  return row.input.mean;
}

}  // namespace loadfactor::economics
