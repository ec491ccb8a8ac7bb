// How many replicas a service gets where the scenario does not say.
//
// The one place that counts them: `serve`, `serve --simulate` and `fill` mean the same fleet of the
// same replica, and `serve --search` and `plan`, which weigh other replicas over many weeks, say
// how theirs differs.
#pragma once

#include <string>

#include "loadfactor/estimate.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

// Whole replicas, each at least the one before.
struct FleetSteps {
  int mean = 1;  // The fewest that could do the work of the mean rate, never idle.
  int peak = 1;  // The fewest that could do the work of the busiest window.
  int slo = 1;   // The fewest that keep the SLO over all windows: the fleet.
};

// `mean` is the mean rate over all windows, in requests per second.
FleetSteps count_replicas(serving::WindowRates rates, double mean,
                          const serving::ReplicaCapacity& replica, double quantile);

// The fleet of these steps.
int fleet_for(serving::WindowRates rates, const serving::ReplicaCapacity& replica, double quantile);

// A fleet over many weeks beside the steps of the closed form.
struct FleetSum {
  FleetSteps steps;
  int replicas = 1;  // All that serve, without spares.
  int spares = 0;
  bool is_simulated = false;  // Sized by the simulated rate of a replica.
  bool is_replayed = false;   // Over a trace, not over weeks made.
};
// How the fleet comes to its replicas.
Notice note_fleet(const FleetSum& fleet);

// The notice that so many replicas were chosen, and how they come about.
Notice note_chosen_replicas(const FleetSteps& steps);

// The quantile that the strictest bound names; 1 without an SLO.
double slo_quantile(const serving::ServicePromise& ask);

}  // namespace loadfactor::engine
