#include "config/scenario/gpu_limit.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace loadfactor::config {

int most_gpus_of_run(const Scenario& scenario, int most) {
  if (most < 1 || !scenario.train || !scenario.train->global_batch) return most;
  const std::int64_t batch = scenario.train->global_batch->value;
  if (batch < 1) return most;
  int best = 1;
  for (std::int64_t odd = 1; odd <= std::min<std::int64_t>(batch, most); odd += 2) {
    if (batch % odd != 0) continue;
    const auto times = std::bit_floor(static_cast<std::uint64_t>(most / odd));
    best = std::max(best, static_cast<int>(odd * static_cast<std::int64_t>(times)));
  }
  return best;
}

}  // namespace loadfactor::config
