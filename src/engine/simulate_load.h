// How full a simulated deployment was, and where the empty seats are.
#pragma once

#include <optional>

#include "engine/simulate_setup.h"
#include "loadfactor/serve.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

// Requests per second of one replica that always has a queue, with the demand's own lengths; where
// prefill and decode are apart, of both pools as they are.
double find_saturated_rate(const SimulateSetup& setup);

// The most requests per second that one replica serves within every bound of the SLO; nothing
// without an SLO, 0 where even a single request misses it.
std::optional<double> find_slo_rate(const SimulateSetup& setup, double saturated);

// What a result reached of the bounds of the scenario's SLO, in their order.
std::vector<Seconds> reach_slo(const SimulateSetup& setup, const serving::SimulationResult& result);

// Shares of the capacity paid for, which sum to 1.
struct LoadShares {
  double load_factor = 0;
  double demand = 0;
  double shape = 0;
  double headroom = 0;
  double slo = 0;
  double rounding = 0;
};
// From the work delivered by 10-minute intervals, the replicas paid for on average, and what one
// could deliver (tokens per second) when saturated and within the SLO.
LoadShares divide_load(const serving::SimulationResult& result, double mean_replicas,
                       double saturated_tokens, double slo_share);

}  // namespace loadfactor::engine
