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
  std::size_t stride = num_nodes(axes_);
  for (std::size_t i = 0; i < 3; ++i) {
    inverse_step_[i] = 1.0 / axes_[i].step;
    stride /= static_cast<std::size_t>(std::max(axes_[i].nodes, 1));
    stride_[i] = stride;
  }
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
  // The cell's first corner, the way to its other corners, and the point's place in it.
  std::array<double, 3> upper{};
  std::array<std::size_t, 3> way{};
  std::size_t corner = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const int last = axes_[i].nodes - 1;
    if (last <= 0) continue;
    const double place =
        std::clamp((point[i] - axes_[i].origin) * inverse_step_[i], 0.0, static_cast<double>(last));
    const int low = std::min(static_cast<int>(place), last - 1);
    upper[i] = place - low;
    way[i] = stride_[i];
    corner += static_cast<std::size_t>(low) * stride_[i];
  }
  const double* value = values_->data() + corner;
  const auto along_last = [&](std::size_t at) {
    return value[at] + upper[2] * (value[at + way[2]] - value[at]);
  };
  const auto along_middle = [&](std::size_t at) {
    const double first = along_last(at);
    return first + upper[1] * (along_last(at + way[1]) - first);
  };
  const double first = along_middle(0);
  return first + upper[0] * (along_middle(way[0]) - first);
}

}  // namespace loadfactor::cost
