// From a scenario to rules, step tables and a stream that the simulator can run.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "demand/traffic_model.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/serve.h"
#include "resolve/serve/service.h"
#include "serving/replica_plan.h"
#include "serving/simulator/policy.h"
#include "serving/simulator/recorder.h"
#include "sim/arrivals.h"
#include "sim/poisson_arrivals.h"

namespace loadfactor::engine {

// One pool of like replicas with everything that was derived for it. A replica has `layout().dp`
// ranks, each with requests, a cache and a scheduler of its own.
struct SimulatedPool {
  serving::ReplicaPlan plan;
  std::unique_ptr<sim::StepTable> table;
  serving::SchedulerRules scheduler;
  int replicas = 0;            // 0: not said.
  std::int64_t kv_tokens = 0;  // One rank's, as its engine logs them.
  double room = 0;             // The same in requests of mean length.

  const serving::ServingLayout& layout() const { return plan.choice.layout; }
  int ranks() const { return std::max(1, layout().dp); }  // In a replica.
};

// A service with the requests and the rules of a simulation.
struct SimulateSetup : Service {
  SimulateFiles files;
  std::uint64_t seed = 1;  // Each model has its own, or they would come at the same times.
  std::vector<std::unique_ptr<SimulatedPool>> pools;  // One, or prefill and decode.
  sim::ArrivalBatch trace;                            // Where the demand is a trace.
  sim::PoissonDemand poisson;                         // Where it is described,
  std::optional<demand::TrafficModel> traffic;        // with a shape: a week of it is made.
  double rate = 0;                                    // Requests per second, mean,
  std::vector<double> rates;                          // and of ten-minute windows.
  double mean_in = 1;                                 // Tokens of a request.
  double mean_out = 1;
  serving::ServicePromise promise;  // For requests of these lengths.
  std::int64_t dropped_rows = 0;
  serving::ClusterRules rules;  // Point into pools; replicas still to be settled if 0.
  serving::ServiceLimits limits;
  sim::Ticks front = 0;                     // Before a request reaches the scheduler.
  const std::atomic<bool>* stop = nullptr;  // Set from outside: whatever is simulated ends.
  std::function<void()> after_run;          // Called when a run of the simulator has ended.

  bool is_stopped() const { return stop != nullptr && stop->load(); }
  bool has_trace() const { return trace.size() > 0; }
  bool scales() const { return rules.groups.back().scaling.scaling != serving::Scaling::kFixed; }
  // A fresh stream of the demand; `count` 0: all of it.
  std::unique_ptr<sim::ArrivalStream> stream(std::int64_t count = 0) const;
  // The same before urgency and common beginnings are marked,
  std::unique_ptr<sim::ArrivalStream> unmarked(std::int64_t count) const;
  // and a stream with them.
  std::unique_ptr<sim::ArrivalStream> marked(std::unique_ptr<sim::ArrivalStream> stream) const;
};

// Every model of the scenario, the one that `serve` itself names first. Reports everything that is
// wrong with the scenario, at its place in the file, and is empty then.
std::vector<std::unique_ptr<SimulateSetup>> make_simulate_setups(const SimulateInputs& request,
                                                                 const catalog::Catalog& catalog,
                                                                 Diagnostics& diagnostics);

// The parts of it, in files of their own.
bool read_simulated_demand(SimulateSetup& setup, const SimulateInputs& request,
                           Diagnostics& diagnostics);
bool make_simulated_rules(SimulateSetup& setup, const SimulateInputs& request,
                          Diagnostics& diagnostics);
// Once the replicas are counted: those that break must be there.
bool add_simulated_failures(SimulateSetup& setup, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
