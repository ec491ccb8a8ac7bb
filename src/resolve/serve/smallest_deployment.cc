#include "resolve/serve/smallest_deployment.h"

#include <algorithm>
#include <cmath>

#include "workload/weights.h"

namespace loadfactor::engine {
namespace {

// How far tensor parallelism reaches at most: a node without fast links still has a bus.
int widest_tp(const catalog::AcceleratorSpec& chip) {
  constexpr int kBus = 8;
  return chip.scale_up.domain > 1 ? chip.scale_up.domain : kBus;
}

// No fewer GPUs than this can hold the weights alone.
int fewest_for_weights(const ServingSetup& setup) {
  const Bytes weights = workload::weight_bytes(*setup.model, *setup.recipe).total();
  return std::max(1, static_cast<int>(std::ceil(weights / setup.chip->memory.usable)));
}

}  // namespace

std::optional<Found> best_split(const ServingSetup& setup, int gpus, std::int64_t tokens) {
  std::optional<Found> best;
  const int limit = std::min(gpus, widest_tp(*setup.chip));
  for (const int tp : workload::legal_tp(*setup.model, limit)) {
    if (gpus % tp != 0 || gpus / tp > setup.model->num_layers()) continue;
    const workload::Sharding sharding{.tp = tp, .pp = gpus / tp, .uneven = true};
    const auto memory = divide_memory(setup, sharding);
    const Found found{sharding, count_sequences(setup, memory, tokens)};
    // The wider tp comes later in the list and has fewer stages: it wins if it holds anything.
    if (!best || found.sequences > 0) best = found;
  }
  return best;
}

std::optional<Found> smallest_deployment(const ServingSetup& setup, std::int64_t tokens,
                                         int limit) {
  const int node = widest_tp(*setup.chip);
  for (int gpus = fewest_for_weights(setup); gpus <= limit; ++gpus) {
    if (gpus > node && gpus % node != 0) continue;  // Past one domain, whole ones are had.
    const auto found = best_split(setup, gpus, tokens);
    if (found && found->sequences > 0) return found;
  }
  return std::nullopt;
}

}  // namespace loadfactor::engine
