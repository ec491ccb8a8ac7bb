#include "config/scenario/gpu_limit.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

namespace loadfactor::config {

std::vector<int> sizes_of_run(const Scenario& scenario, int most) {
  std::set<int, std::greater<>> sizes;
  const bool is_written = scenario.train && scenario.train->global_batch;
  const std::int64_t batch = is_written ? scenario.train->global_batch->value : 0;
  for (std::int64_t odd = 1; odd <= most && (odd == 1 || odd <= batch); odd += 2) {
    if (batch > 0 && batch % odd != 0) continue;
    for (std::int64_t size = odd; size <= most; size *= 2) sizes.insert(static_cast<int>(size));
  }
  for (int size = batch > 0 ? 0 : most; size > 0; size /= 2) {
    sizes.insert(size);
    if (size % 2 != 0) break;
  }
  return {sizes.begin(), sizes.end()};
}

int most_gpus_of_run(const Scenario& scenario, int most) {
  const auto sizes = sizes_of_run(scenario, most);
  return sizes.empty() ? most : sizes.front();
}

}  // namespace loadfactor::config
