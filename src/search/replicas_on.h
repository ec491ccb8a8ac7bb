// How many replicas are on for which share of the time, where they come and go with the demand.
#pragma once

#include <vector>

namespace loadfactor::search {

// The place is the number of replicas, the value the share of the time that so many are on.
using ReplicasOn = std::vector<double>;

double mean_of(const ReplicasOn& on);

// With so many more on at all times.
ReplicasOn with_spares(ReplicasOn on, int spares);

// In the fluid limit: as many as the busiest window within a cold start needs, since one more is
// ready only then. Rates below zero are windows that nothing is known of.
ReplicasOn replicas_followed(const std::vector<double>& rates, double each, double cold_start);

}  // namespace loadfactor::search
