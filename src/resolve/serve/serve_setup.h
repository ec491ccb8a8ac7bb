// One deployment of a service for the closed form: its replicas, its lengths, its promises.
#pragma once

#include <memory>
#include <optional>

#include "loadfactor/serve.h"
#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/service.h"
#include "serving/closed_form.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

struct ServeSetup : Service {
  serving::ReplicaPlan plan;                    // The answer pool's, where prompts are apart.
  std::optional<serving::ReplicaPlan> prompts;  // The prompt pool's, where it is apart.
  std::optional<FleetDemand> demand;            // Where the scenario has one.
  double tokens_in = 1000;
  double tokens_out = 200;
  serving::ServicePromise promise;  // For requests of these lengths.

  const serving::ServingLayout& layout() const { return plan.choice.layout; }
  // Replicas that the scenario writes for a pool.
  std::optional<int> written_replicas(Side side) const {
    const auto replicas = asked_pool(side).replicas;
    return replicas ? std::optional(replicas->value) : std::nullopt;
  }
  serving::Pool pool(int replicas) const { return plan.pool(promise, replicas); }
};

// Reports everything that is wrong with the scenario, at its place in the file: LF101 where the
// weights or one sequence do not fit, LF102 for degrees that do not divide, LF104 for a context
// beyond the model's.
std::unique_ptr<ServeSetup> make_serve_setup(const ServeInputs& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics);

}  // namespace loadfactor::engine
