#include "engine/train/scale_baseline.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/plural.h"

namespace loadfactor::engine {

std::optional<Notice> note_slow_baseline(const ScaleCurve& curve) {
  constexpr double kAbove = 1.005;  // What is not printed as 100 %.
  const auto& first = curve.points[0].train.layout;
  const bool above =
      std::any_of(curve.points.begin(), curve.points.end(), [](const ScalePoint& point) {
        return point.efficiency >= kAbove || point.weak_efficiency >= kAbove;
      });
  if (first.offload.empty() || !above) return std::nullopt;
  return Notice{.id = "slow-baseline",
                .arguments = {{"accelerator", curve.title},
                              {"gpus", counted(first.gpus, "GPU")},
                              {"state", fmt::format("{}", fmt::join(first.offload, ", "))}}};
}

}  // namespace loadfactor::engine
