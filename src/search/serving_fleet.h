// One deployment as the simulator runs it, against traffic of any seed and length.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/serving_sizing.h"
#include "search/weeks/week_strata.h"
#include "serving/arrival_tape.h"
#include "serving/simulator/simulation.h"

namespace loadfactor::search {

// What the fleet of a run looks like, and the traffic it gets.
struct FleetQuestion {
  int replicas = 1;
  int prompt_replicas = 0;  // Where prompts are apart.
  const demand::TrafficModel* model = nullptr;
  std::uint64_t seed = 1;
  double seconds = 0;  // Length of the model's traffic; 0: the problem's trace.
  const serving::ArrivalTape* tape = nullptr;  // The same traffic, where it lies in memory.
  bool is_one_of_many = false;  // The model's traffic of this seed is asked for at other rates too.
  bool is_verdict_enough = false;         // Ends as soon as the SLO is missed for certain.
  std::vector<serving::Failure> outages;  // Outages of decode replicas, ascending in time.
  std::optional<serving::ScalingRules> scaling;
  std::function<void(std::int64_t requests)> progress;  // Called now and then while it runs.
};

struct FleetRun {
  Seconds ttft;  // This and `tpot`: at the quantiles asked.
  Seconds tpot;
  double within = 0;        // Share of requests served within every bound.
  double first_missed = 0;  // Share that missed the bound of the first token.
  double each_missed = 0;   // Share that missed the bound of each next token.
  double mean_replicas = 0;
  ReplicasOn on;      // Copies of the replica that were paid for.
  Hertz served_rate;  // Requests served until the last was over.
  std::int64_t requests = 0;
  double sampled = 1;  // Share of its requests that were simulated.
  bool first_kept = false;
  bool each_kept = false;
  bool kept = false;
  bool is_decided = false;  // It ended at a certain miss: only the verdict is that of the whole.
};

// Step tables are made once; runs may go on in several threads.
class SimulatedFleet {
 public:
  SimulatedFleet(const SizingProblem& problem, const SizedDeployment& deployment);

  FleetRun run(const FleetQuestion& ask) const;
  // Requests of a stream, those that come in this time counted.
  SpanCounts count(const FleetQuestion& ask, sim::ArrivalStream& stream,
                   const serving::CountedTime& counted) const;
  // Sets times at the quantiles asked, and what is kept by them.
  void read_off(const sim::LatencyHistogram& ttft, const sim::LatencyHistogram& tpot,
                FleetRun& run) const;
  // Requests per second of one replica (or of one unit of both pools) that always has a queue.
  double saturated_rate(const FleetQuestion& ask) const;
  // Whether runs of millions of requests take seconds.
  bool is_quick() const;

 private:
  serving::ClusterRules rules_of(const FleetQuestion& ask) const;
  // What a client sees of a time that the scheduler took.
  Seconds ttft_of(double ticks_taken) const;
  static Seconds tpot_of(double ticks_taken);
  // More late requests than these, of so many, put the quantile beyond the SLO.
  serving::MissLimits certain_miss(std::int64_t requests, std::int64_t with_next_tokens) const;

  const SizingProblem& problem_;
  Seconds front_;  // Time before a request reaches the scheduler.
  sim::StepTable answers_table_;
  std::optional<sim::StepTable> prompts_table_;
  serving::GroupRules answers_;
  std::optional<serving::GroupRules> prompts_;
  serving::TransferRules transfer_;
};

// Takes every replica out once, one after another in the quiet hours of each day.
std::vector<serving::Failure> maintenance_of(const std::vector<double>& rates, int replicas,
                                             double seconds);

}  // namespace loadfactor::search
