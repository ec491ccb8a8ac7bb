// The cheapest deployment that keeps its promise: closed form over the space, then simulation of
// the best few until one is confirmed.
//
// A candidate's size is the fewest replicas that keep the SLO at its percentile in at least 18 of
// 20 weeks made with seeds of their own, in the fluid limit at the rate per replica that a
// simulation with the demand's own lengths confirms. So one replica fewer misses in at least 3 of
// the 20 by construction, up to what the fluid limit leaves out; the whole week is then simulated
// and the rate lowered where it misses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "demand/trace.h"
#include "demand/traffic_model.h"
#include "search/serving_space.h"
#include "serving/replica_plan.h"

namespace loadfactor::search {

inline constexpr int kTrialWeeks = 20;
inline constexpr int kWeeksToKeep = 18;

struct SizingProblem {
  ServingSpace space;
  serving::HardwareShelf* hardware = nullptr;
  const serving::Constants* constants = nullptr;
  serving::ServiceAsk ask;
  double slo_quantile = 0.95;
  demand::TrafficModel model;            // Weeks are made from it,
  const demand::Trace* trace = nullptr;  // unless these are the requests.
  std::vector<double> trace_rates;       // Of ten-minute windows, for a trace or a profile.
  std::function<double(const std::string& chip)> rent;  // USD per GPU and hour; 0: not known.
  int spares = 0;         // Replicas beyond, for failures and maintenance.
  double cold_start = 0;  // Seconds until a replica that was asked for serves.
  int most_gpus = 0;      // Of the fleet; 0: no limit.
  std::uint64_t seed = 1;
  int confirm = 3;                          // Candidates that are simulated,
  std::int64_t most_requests = 12'000'000;  // and requests of the week simulated for the winner.
  int threads = 2;
};

struct SizedDeployment {
  serving::ReplicaPlan plan;
  serving::CapacityFigures figures;  // Closed form.
  double rate = 0;                   // Per replica within the SLO; simulated where `is_calibrated`.
  int replicas = 0;                  // With spares.
  int gpus = 0;
  bool has_rent = false;     // Dollars and GPUs do not compare: those without come last.
  double cost_per_hour = 0;  // USD; GPUs where no rent is known.
  double per_mtoken = 0;     // At the mean of the demand.
  double load_factor = 0;
  double autoscaled_gpus = 0;  // Mean, if replicas came and went with the demand.
  bool is_calibrated = false;
  bool is_confirmed = false;
  double mean_tpot = 0;  // Closed form, at the mean rate of a replica.
  double ttft = 0;       // At the quantile, in the whole week.
  double tpot = 0;
  double within_slo = 0;          // Share of requests,
  int weeks_kept = 0;             // of kTrialWeeks, in the fluid limit,
  int weeks_kept_with_fewer = 0;  // and with one replica fewer.
};

struct SizingAnswer {
  std::int64_t enumerated = 0;
  std::int64_t fitting = 0;
  std::int64_t meeting = 0;  // That keep the SLO at some rate.
  std::int64_t simulated_requests = 0;
  std::vector<SizedDeployment> best;    // By cost; the first confirmed one is the answer.
  std::vector<SizedDeployment> pareto;  // Cost per token against time per token.
  int fewest_gpus = 0;                  // Of fleets that keep the SLO beyond the limit,
  int fewest_replicas = 0;              // and the replicas of that one.
  std::string nearest_miss;             // Where nothing meets the SLO: what comes closest.
};

SizingAnswer size_deployment(const SizingProblem& problem);

// The closed form alone: what a rate per replica costs on these weeks.
void size_by_rate(const SizingProblem& problem, const std::vector<std::vector<double>>& weeks,
                  SizedDeployment& deployment);
// Rates of ten-minute windows of the trial weeks; the trace's own where there is one.
std::vector<std::vector<double>> trial_weeks(const SizingProblem& problem);

}  // namespace loadfactor::search
