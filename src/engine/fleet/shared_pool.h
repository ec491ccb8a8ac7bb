// Several models of one scenario on one pool of GPUs: machines pass from one to the other by the
// hour, as each needs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/fleet.h"

namespace loadfactor::engine {

// The model of a scenario and each of its `serve.others`, as scenarios of one model.
std::vector<config::Scenario> models_of(const config::Scenario& scenario);

struct SharedPoolInputs {
  config::Scenario scenario;
  std::vector<FleetWork> works;  // In the order of models_of.
  std::uint64_t seed = 1;
  std::string today;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double share)> progress;
};

// The cheapest pool of one of the candidate chips that holds all models, each within its SLO as
// simulated. Nothing, and the reasons, where no chip runs them all.
std::optional<FleetAnswer> plan_shared_pool(const Core& engine, const SharedPoolInputs& inputs,
                                            Diagnostics& diagnostics);

}  // namespace loadfactor::engine
