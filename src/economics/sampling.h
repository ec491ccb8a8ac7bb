// Draws of uncertain inputs: Latin hypercube, lognormal or beta, correlated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace loadfactor::economics {

enum class Spread : std::uint8_t {
  kNone,       // Always the mean.
  kLognormal,  // Positive.
  kBeta,       // A share in (0, 1).
};

struct UncertainInput {
  double mean = 1;
  double variation = 0;  // Coefficient of variation.
  Spread spread = Spread::kLognormal;
};

// Correlation of the normal scores behind two inputs.
struct Correlation {
  std::size_t first = 0;
  std::size_t second = 0;
  double value = 0;
};

// draws × inputs, row by row.
class Sample {
 public:
  Sample(std::size_t draws, std::size_t inputs)
      : draws_(draws), inputs_(inputs), values_(draws * inputs) {}
  std::size_t draws() const { return draws_; }
  std::size_t inputs() const { return inputs_; }
  std::span<const double> row(std::size_t draw) const {
    return {values_.data() + draw * inputs_, inputs_};
  }
  std::span<double> row(std::size_t draw) { return {values_.data() + draw * inputs_, inputs_}; }

 private:
  std::size_t draws_;
  std::size_t inputs_;
  std::vector<double> values_;
};

// Normal scores, stratified per input; correlated by Cholesky, which keeps every margin normal.
// Correlations must form a positive definite matrix.
Sample normal_scores(std::size_t inputs, std::span<const Correlation> correlations,
                     std::size_t draws, std::uint64_t seed);

// Turns a row of normal scores into values of the inputs. Beta quantiles are tabulated once.
class InputQuantiles {
 public:
  explicit InputQuantiles(std::span<const UncertainInput> inputs);
  double value(std::size_t input, double score) const;

 private:
  struct Row {
    UncertainInput input;
    double mu = 0;
    double sigma = 0;
    std::vector<double> beta;  // Quantiles on a grid of scores.
  };
  std::vector<Row> rows_;
};

}  // namespace loadfactor::economics
