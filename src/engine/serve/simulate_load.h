// How full a simulated deployment was, and where the empty seats are.
#pragma once

#include <optional>
#include <vector>

#include "loadfactor/serve.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::engine {

// Requests per second of one replica, all its ranks together, that always has a queue, with the
// demand's own lengths, common beginnings and urgency; where prefill and decode are apart, of both
// pools as they are.
double find_saturated_rate(const SimulateSetup& setup);
// The same of other requests, all of one length and without common beginnings.
double find_saturated_rate(const SimulateSetup& setup, sim::RequestLength each);

// Seconds that what is measured so was paid for: a replica, or prefill and decode together.
double paid_unit_seconds(const SimulateSetup& setup, const serving::SimulationResult& result);

// The most requests per second that one replica serves within every bound of the SLO; nothing
// without an SLO, 0 where even a single request misses it. Agrees with the run: a rate at which the
// deployment kept the SLO is within it, and one at which it did not, without a peak, a failure or
// scaling to blame, is not.
std::optional<double> find_slo_rate(const SimulateSetup& setup,
                                    const serving::SimulationResult& run, double saturated);

// Whether requests that were not served count, as late ones.
enum class Lost : std::uint8_t { kCounts, kLeftOut };

// What a result reached of one bound.
struct ReachedBound {
  std::optional<Seconds> time;  // None: too few were served, or there is no such time.
  bool met = false;
};

// In the order of the bounds of the scenario's SLO.
std::vector<ReachedBound> reach_slo(const SimulateSetup& setup,
                                    const serving::SimulationResult& result, Lost lost);
bool keeps_slo(const std::vector<ReachedBound>& reached);

// Shares of the capacity paid for, which sum to 1.
struct LoadShares {
  double load_factor = 0;
  double demand = 0;
  double shape = 0;
  double headroom = 0;
  double slo = 0;
  double rounding = 0;
  double downtime = 0;
  double peak = 0;  // The busiest ten minutes alone, over the capacity paid for; no share of it.
};
// From the work delivered by 10-minute intervals, the replicas paid for on average, and what one
// could deliver (tokens per second) when saturated and within the SLO.
LoadShares divide_load(const serving::SimulationResult& result, double mean_replicas,
                       double saturated_tokens, double slo_share);

}  // namespace loadfactor::engine
