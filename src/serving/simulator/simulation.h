// Runs a stream of requests through a deployment and says what came out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "serving/simulator/policy.h"
#include "serving/simulator/recorder.h"
#include "serving/simulator/series.h"
#include "sim/arrivals.h"
#include "sim/latency_histogram.h"

namespace loadfactor::serving {

enum class SimulatorKind : std::uint8_t { kSkipAhead, kPlain };

struct SimulationOptions {
  ServiceLimits limits = {};
  std::vector<ServiceLimits> limits_of_service = {};  // Where services have their own.
  Ticks delivered_interval = sim::kHour;              // Interval of the series of work delivered.
  Ticks sample_interval = sim::kNever;                // Interval of the series of states.
  // Otherwise there are no times between tokens or of whole requests and no work by interval.
  bool keeps_all = true;
  bool keeps_log = false;      // One outcome per request: memory grows with them.
  std::size_t most_spans = 0;  // Steps kept for a trace.
  // Ends the run as soon as more requests are late; what it says of the rest is then of no use.
  std::optional<MissLimits> stops_beyond = {};
  // Ends the run soon after it is set.
  const std::atomic<bool>* stop = nullptr;
  // Called once in some thousand requests, with how many have come.
  std::function<void(std::int64_t requests)> progress = {};
  // Which engine runs; by default skip-ahead wherever the rules allow it.
  std::optional<SimulatorKind> engine = {};
};

// What one group of replicas did, was paid for and had to bear.
struct GroupWork {
  Seconds busy;
  double paid_replica_seconds = 0;
  double paid_gpu_seconds = 0;
  int most_replicas = 0;             // Paid for at once.
  std::vector<double> seconds_with;  // Time with so many paid for, the place being the number.
  GroupPressure pressure;
};

struct SimulationResult {
  SimulatorKind engine = SimulatorKind::kSkipAhead;
  sim::LatencyHistogram ttft, tpot, itl, e2e;
  DeliveredWork total;                   // Requests that were served.
  std::vector<DeliveredWork> delivered;  // The same by interval.
  std::int64_t turned_away = 0;
  std::int64_t cancelled = 0;
  bool is_decided = false;  // More were late than `stops_beyond` allows: the run ended there.
  std::int64_t unfinished =
      0;                // Requests in the system when the run ended; 0 where it ran to the end.
  bool is_cut = false;  // Simulated time ended, or the stop came, before the last request was over.
  std::int64_t first_missed = 0;  // Beyond the bounds of `stops_beyond`.
  std::int64_t each_missed = 0;
  std::int64_t most_live = 0;  // Requests in the system at once.
  Ticks end = 0;               // When the last request was over.
  WorkCounters work;
  std::vector<WorkCounters> work_of_replica;
  double paid_replica_seconds = 0;
  double paid_gpu_seconds = 0;
  double down_gpu_seconds = 0;    // Part of paid_gpu_seconds: replicas that had failed.
  std::vector<GroupWork> groups;  // Ordered by service, then as in the rules.
  std::int64_t lost_answers = 0;  // Requests for more than one token turned away or cancelled.
  // First tokens of urgent requests and of the others, where there are priorities.
  std::optional<sim::LatencyHistogram> urgent_ttft, other_ttft;
  Series series{sim::kNever};
  std::vector<RequestOutcome> outcomes;
  std::vector<StepSpan> spans;
  std::vector<SimulationResult> services;  // Each on its own, without a log; where several are.

  std::int64_t requests() const { return total.requests + turned_away + cancelled; }
};

// The rules must be sound (find_fault). The stream is pulled to its end, or to sim::kHorizon.
SimulationResult simulate(const ClusterRules& rules, sim::ArrivalStream& stream,
                          const SimulationOptions& options);

// The same of a part of the stream: what comes before and after it loads the replicas and is in no
// figure of requests, nor of how many replicas are paid for.
SimulationResult simulate_part(const ClusterRules& rules, sim::ArrivalStream& stream,
                               const SimulationOptions& options, const CountedTime& counted);

// What is wrong with the rules, or nothing.
std::string find_fault(const ClusterRules& rules);

}  // namespace loadfactor::serving
