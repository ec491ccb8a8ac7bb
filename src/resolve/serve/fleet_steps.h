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

// "2 for the mean rate + 1 for the busiest ten minutes + 0 for the SLO".
std::string words_of(const FleetSteps& steps);

// The notice that so many replicas were chosen, and how they come about.
Notice note_chosen_replicas(const FleetSteps& steps);

// The quantile that the strictest bound names; 1 without an SLO.
double slo_quantile(const serving::ServicePromise& ask);

}  // namespace loadfactor::engine
