// Distributions over ranks and indices, prepared once and then drawn from in constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace loadfactor {

// P(rank = k) ∝ k^-exponent for k in 1…ranks, exponent ≥ 0. Rejection-inversion
// [Hörmann & Derflinger 1996]: no table, fewer than two draws on average whatever `ranks` is.
class ZipfDistribution {
 public:
  ZipfDistribution(std::int64_t ranks, double exponent);

  std::int64_t operator()(RandomStream& stream) const;

 private:
  double area(double x) const;          // The integral of the density from 1 to x.
  double inverse_area(double y) const;  // Its inverse.
  double density(double x) const;

  std::int64_t ranks_;
  double exponent_;
  double lowest_;   // Area left of the first rank.
  double highest_;  // Area left of the end of the last rank.
  double shortcut_;
};

// Index i with probability weights[i] / sum of weights. One draw [Walker 1977, Vose 1991].
class AliasTable {
 public:
  // Weights are finite and not negative, at least one is positive.
  explicit AliasTable(std::span<const double> weights);

  std::size_t operator()(RandomStream& stream) const;
  std::size_t size() const { return columns_.size(); }

 private:
  struct Column {
    double keep = 1.0;  // Probability of staying in this column.
    std::size_t alias = 0;
  };
  std::vector<Column> columns_;
};

}  // namespace loadfactor
