#include "cost/correction_grid.h"

#include <algorithm>
#include <utility>

namespace loadfactor::cost {

std::size_t num_nodes(const std::array<GridAxis, 3>& axes) {
  std::size_t product = 1;
  for (const GridAxis& axis : axes) product *= static_cast<std::size_t>(std::max(axis.nodes, 1));
  return product;
}

CorrectionGrid::CorrectionGrid(const std::array<GridAxis, 3>& axes, std::vector<double> values)
    : axes_(axes) {
  if (values.size() != num_nodes(axes_)) return;
  values_ = std::make_shared<const std::vector<double>>(std::move(values));
  for (std::size_t i = 0; i < 3; ++i) inverse_step_[i] = 1.0 / axes_[i].step;
}

GridCorners CorrectionGrid::corners(const GridPoint& point) const {
  GridCorners found;
  found.share[0] = 1.0;
  std::size_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto nodes = static_cast<std::size_t>(std::max(axes_[i].nodes, 1));
    const double last = static_cast<double>(nodes - 1);
    const double place = std::clamp((point[i] - axes_[i].origin) * inverse_step_[i], 0.0, last);
    const std::size_t low = std::min(static_cast<std::size_t>(place), nodes > 1 ? nodes - 2 : 0);
    const double upper = place - static_cast<double>(low);
    const bool split = nodes > 1;
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t base = found.index[c] * nodes + low;
      const double share = found.share[c];
      found.index[c] = base;
      if (!split) continue;
      found.share[c] = share * (1.0 - upper);
      found.index[count + c] = base + 1;
      found.share[count + c] = share * upper;
    }
    if (split) count *= 2;
  }
  return found;
}

double CorrectionGrid::at(const GridPoint& point) const {
  if (values_ == nullptr) return 0.0;
  const std::vector<double>& values = *values_;
  const GridCorners found = corners(point);
  double sum = 0.0;
  for (std::size_t c = 0; c < 8; ++c) sum += found.share[c] * values[found.index[c]];
  return sum;
}

}  // namespace loadfactor::cost
