// Simulation of a candidate: the rate that one replica keeps, and a whole week of the fleet.
#pragma once

#include "search/serving_sizing.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::search {

// Finds by simulation of a few replicas under random arrivals the most requests per second each
// keeps within the SLO, and sizes the candidate by it.
void calibrate_rate(const SizingProblem& problem, const std::vector<std::vector<double>>& weeks,
                    SizedDeployment& deployment, SizingAnswer& answer);

// Simulates the whole fleet over one week that was not among the trial weeks (or the trace), and
// lowers the rate until it keeps the SLO.
void confirm_week(const SizingProblem& problem, const std::vector<std::vector<double>>& weeks,
                  SizedDeployment& deployment, SizingAnswer& answer);

// One run of a fleet: traffic of the model with this seed and of this length, or the trace.
struct FleetRun {
  double ttft = 0;  // At the quantiles asked.
  double tpot = 0;
  double within = 0;  // Share of requests served within every bound.
  std::int64_t requests = 0;
  bool kept = false;
};
FleetRun run_fleet(const SizingProblem& problem, const SizedDeployment& deployment,
                   const demand::TrafficModel& model, std::uint64_t seed, double seconds);

}  // namespace loadfactor::search
