#include "base/discrete_distributions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace loadfactor {
namespace {

// (exp(x) - 1) / x and log1p(x) / x, both 1 at zero.
double expm1_over(double x) {
  return std::fabs(x) < 1e-12 ? 1.0 + x / 2 : std::expm1(x) / x;
}
double log1p_over(double x) {
  return std::fabs(x) < 1e-12 ? 1.0 - x / 2 : std::log1p(x) / x;
}

}  // namespace

ZipfDistribution::ZipfDistribution(std::int64_t ranks, double exponent)
    : ranks_(ranks), exponent_(exponent), lowest_(0), highest_(0), shortcut_(0) {
  LF_CHECK(ranks >= 1 && exponent >= 0, "a Zipf distribution needs a rank");
  lowest_ = area(1.5) - 1.0;
  highest_ = area(static_cast<double>(ranks) + 0.5);
  shortcut_ = 2.0 - inverse_area(area(2.5) - density(2.0));
}

double ZipfDistribution::area(double x) const {
  const double log_x = std::log(x);
  return expm1_over((1.0 - exponent_) * log_x) * log_x;
}

double ZipfDistribution::inverse_area(double y) const {
  // Rounding may carry the argument just past the pole of the logarithm.
  const double t = std::max(y * (1.0 - exponent_), -1.0);
  return std::exp(log1p_over(t) * y);
}

double ZipfDistribution::density(double x) const {
  return std::exp(-exponent_ * std::log(x));
}

std::int64_t ZipfDistribution::operator()(RandomStream& stream) const {
  while (true) {
    const double u = highest_ + stream.uniform() * (lowest_ - highest_);
    const double x = inverse_area(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(ranks_));
    if (k - x <= shortcut_ || u >= area(k + 0.5) - density(k)) {
      return static_cast<std::int64_t>(k);
    }
  }
}

AliasTable::AliasTable(std::span<const double> weights) : columns_(weights.size()) {
  double total = 0;
  for (const double weight : weights) {
    LF_CHECK(std::isfinite(weight) && weight >= 0, "weights are finite and not negative");
    total += weight;
  }
  LF_CHECK(total > 0, "some weight must be positive");
  std::vector<double> share;  // Of a column's height; the mean is 1.
  std::vector<std::size_t> small;
  std::vector<std::size_t> large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    share.push_back(weights[i] / total * static_cast<double>(weights.size()));
    (share[i] < 1.0 ? small : large).push_back(i);
    columns_[i].alias = i;
  }
  while (!small.empty() && !large.empty()) {
    const std::size_t poor = small.back();
    const std::size_t rich = large.back();
    small.pop_back();
    columns_[poor] = {share[poor], rich};
    share[rich] -= 1.0 - share[poor];
    if (share[rich] < 1.0) {
      large.pop_back();
      small.push_back(rich);
    }
  }
}

std::size_t AliasTable::operator()(RandomStream& stream) const {
  // One draw serves twice: the high half picks the column, the low half the side.
  const WideProduct draw = multiply_wide(stream.next(), columns_.size());
  const Column& column = columns_[draw.high];
  const double side = static_cast<double>(draw.low >> 11U) * 0x1.0p-53;
  return side < column.keep ? static_cast<std::size_t>(draw.high) : column.alias;
}

}  // namespace loadfactor
