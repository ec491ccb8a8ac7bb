#include "engine/train/scale_sizes.h"

#include <algorithm>
#include <bit>

#include "config/scenario/gpu_limit.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

// Doubling from the fewest, as many as a curve has.
std::vector<int> doubled_sizes(int fewest) {
  std::vector<int> sizes;
  for (int size = fewest; sizes.size() < kCurveSizes && size <= kMostGpus; size *= 2)
    sizes.push_back(size);
  return sizes;
}

bool is_bound(const TrainSetup& setup) {
  return setup.ask().tokens && (setup.scenario.limits.budget || setup.ask().deadline);
}

}  // namespace

int fewest_that_hold(const TrainSetup& setup) {
  const double weights =
      2.0 * static_cast<double>(workload::count_parameters(*setup.job.model).total());
  const double held = setup.job.chip->memory.usable.base();
  const double fewest = std::clamp(weights / held, 1.0, static_cast<double>(kMostGpus));
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(fewest)));
}

std::vector<int> halved_sizes(int most, int fewest) {
  std::vector<int> sizes;
  for (int size = most; size >= 1;) {
    if (!sizes.empty() && size < fewest) break;
    sizes.push_back(size);
    const auto below = static_cast<unsigned>(size - 1);
    size = size % 2 == 0 ? size / 2 : static_cast<int>(std::bit_floor(below));
  }
  return sizes;
}

std::vector<int> curve_sizes(const TrainSetup& setup) {
  const auto asked = setup.asked_layout();
  const auto& limit = setup.scenario.limits.gpus;
  // Money is the limit: from the fewest that hold the weights.
  if (!asked.gpus && !limit && setup.scenario.limits.budget)
    return doubled_sizes(fewest_that_hold(setup));
  const int most = asked.gpus ? asked.gpus->value
                   : limit
                       ? config::most_gpus_of_run(setup.scenario, static_cast<int>(limit->value))
                       : kMostGpus;
  std::vector<int> sizes = halved_sizes(most, 1);
  sizes.resize(std::min(sizes.size(), kCurveSizes));
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<int> quickest_sizes(const TrainSetup& setup) {
  constexpr int kMuchSmaller = 4;
  std::vector<int> sizes =
      config::sizes_of_run(setup.scenario, static_cast<int>(setup.scenario.limits.gpus->value));
  const int most = sizes.front();
  std::erase_if(sizes, [most](int size) { return size * kMuchSmaller <= most; });
  return sizes;
}

bool weighs_sizes(const TrainSetup& setup, Objective objective) {
  return objective != Objective::kTime || is_bound(setup);
}

std::vector<int> weighed_sizes(const TrainSetup& setup, int fewest) {
  const auto& limit = setup.scenario.limits.gpus;
  if (limit) {
    std::vector<int> sizes = config::sizes_of_run(setup.scenario, static_cast<int>(limit->value));
    const int most = sizes.front();
    std::erase_if(sizes, [=](int size) { return size < fewest && size != most; });
    return sizes;
  }
  if (is_bound(setup)) return halved_sizes(kMostGpus, fewest);
  std::vector<int> sizes = doubled_sizes(fewest);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

}  // namespace loadfactor::engine
