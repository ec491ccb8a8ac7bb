#include "economics/load_curve.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::economics {

LoadCurve::LoadCurve(std::span<const double> hours) : sorted_(hours.begin(), hours.end()) {
  std::sort(sorted_.begin(), sorted_.end());
  sum_from_.assign(sorted_.size() + 1, 0.0);
  for (std::size_t i = sorted_.size(); i-- > 0;) sum_from_[i] = sum_from_[i + 1] + sorted_[i];
}

double LoadCurve::mean() const {
  return sorted_.empty() ? 0.0 : sum_from_[0] / static_cast<double>(sorted_.size());
}

double LoadCurve::mean_above(double level) const {
  if (sorted_.empty()) return 0;
  const auto first = std::upper_bound(sorted_.begin(), sorted_.end(), level);
  const auto index = static_cast<std::size_t>(first - sorted_.begin());
  const auto count = static_cast<double>(sorted_.size() - index);
  return (sum_from_[index] - level * count) / static_cast<double>(sorted_.size());
}

double LoadCurve::mean_below(double level) const {
  return level - mean() + mean_above(level);
}

double LoadCurve::level_reached(double share) const {
  if (sorted_.empty() || share > 1) return 0;
  const auto size = static_cast<double>(sorted_.size());
  const double needed = std::max(1.0, std::ceil(share * size - 1e-9));
  return sorted_[sorted_.size() - static_cast<std::size_t>(needed)];
}

}  // namespace loadfactor::economics
