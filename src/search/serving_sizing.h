// The cheapest deployment that keeps its promise: closed form over the space, then simulation of
// the best few until one is confirmed.
//
// A candidate's size is first the fewest replicas that keep the SLO at its percentile in at least
// 18 of 20 weeks made with seeds of their own, in the fluid limit at the rate per replica that a
// simulation with the demand's own lengths confirms. Then whole weeks of other seeds are simulated
// (search/serving_weeks.h): a fleet that misses too many of them grows, and the fleets just cheaper
// than one that keeps them are tried too, so that what is answered keeps its promise and nothing
// tried below it does.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/instances.h"
#include "demand/trace.h"
#include "demand/traffic_model.h"
#include "search/replicas_on.h"
#include "search/serving_space.h"
#include "search/weeks/week_shapes.h"
#include "serving/arrival_tape.h"
#include "serving/replica_plan.h"

namespace loadfactor {
class Crew;
}

namespace loadfactor::search {

class FleetMemory;

inline constexpr int kTrialWeeks = 20;
inline constexpr int kWeeksToKeep = 18;

// Weeks of a demand, by window and by rate.
struct Weeks {
  explicit Weeks(std::vector<std::vector<double>> of);

  std::vector<std::vector<double>> rates;  // Rates of ten-minute windows; < 0: missing.
  std::vector<WeekLevels> levels;
};

// How often a replica is not there.
struct Outages {
  double per_gpu_hour = 0;   // Failures of a GPU that take its replica out.
  double repair_hours = 0;   // How long a replica is out; spares stand by for it.
  double most_short = 0.01;  // Share of the time with more replicas out than spares.
  bool is_promised = false;  // That share is a promise, which may take more spares than replicas.
  int zones = 0;             // The loss of any one of so many must be borne; 0: of none.
  int deployed = 0;          // Replicas that a deploy takes out at once, and others stand in for.
  double maintenance = 0;  // Seconds of every replica, once a month; in the week that is simulated.
};

// What an hour of one GPU costs in one way to pay, in USD.
struct WayPrice {
  std::string way;      // As whoever asks calls it.
  double fixed = 0;     // Busy or not,
  double working = 0;   // and on top while it works.
  int machine = 1;      // GPUs that bind for years are paid for in multiples of this,
  InstanceSizes sizes;  // and those by the hour in these.

  // GPUs that are paid for where replicas of this size need so many.
  int paid(int gpus, int replica) const {
    return (sizes.paid(gpus, replica) + machine - 1) / machine * machine;
  }
  // What an hour of so many costs, all busy for that share of the time.
  double per_hour(int gpus, int replica, double load) const {
    return paid(gpus, replica) * fixed + gpus * working * load;
  }
};

struct SizingProblem {
  ServingSpace space;
  serving::HardwareShelf* hardware = nullptr;
  const serving::Constants* constants = nullptr;  // For chips that have none of their own.
  std::map<const catalog::AcceleratorSpec*, const serving::Constants*> constants_by_chip;
  serving::ServicePromise ask;
  double slo_quantile = 0.95;
  demand::TrafficModel model;            // What weeks are made from where there is no trace.
  const demand::Trace* trace = nullptr;  // The requests themselves; null: none.
  std::vector<double> trace_rates;       // Rates of ten-minute windows of a trace or a profile.
  std::shared_ptr<const Weeks> trials;   // The trial weeks where they are made already.
  std::shared_ptr<WeekShapes> shapes = std::make_shared<WeekShapes>();  // Weeks that are ranked.
  std::shared_ptr<FleetMemory> memory;  // What is known of fleets already; null: nothing is kept.
  // By chip, every way that may be taken; a chip without any has no known price.
  std::map<std::string, std::vector<WayPrice>> prices;
  int spares = -1;  // Replicas that stand by for failures; -1: as many as they need.
  Outages outages;
  double cold_start = 0;  // Seconds until a replica that was asked for serves.
  int most_gpus = 0;      // Limit on the GPUs of the fleet; 0: none.
  std::uint64_t seed = 1;
  int confirm = 3;  // Candidates that are simulated.
  int weeks = 0;  // Most weeks simulated for each; 0: what a quarter of a minute allows, up to 20.
  std::int64_t most_requests = 12'000'000;  // Most requests simulated of a week.
  bool simulates_weeks = true;  // Otherwise fleets have the least size that a simulation confirms.
  bool thorough = false;        // Tries fleets below the answer too, and simulates its autoscaling.
  bool every_chip = false;      // Simulates chips that cannot be the cheapest too, where quick.
  Crew* crew = nullptr;         // Processes that go through the same search, and simulate with us.
  const std::atomic<bool>* stop = nullptr;     // Set from outside: ends early, with no use.
  std::function<void(double share)> progress;  // Called now and then, from one thread.

  bool is_stopped() const { return stop != nullptr && stop->load(); }
  // Whether other processes simulate with us. What is remembered of fleets is not shared.
  bool is_shared() const;
  const serving::Constants& constants_of(const serving::ReplicaPlan& plan) const {
    const auto own = constants_by_chip.find(plan.choice.chip);
    return own == constants_by_chip.end() ? *constants : *own->second;
  }
  void report(double share) const {
    if (progress) progress(share);
  }
};

// The pool that only computes prompts, where they are apart from answers.
struct PromptPool {
  serving::ReplicaPlan plan;
  serving::CapacityFigures figures;  // Closed form.
  double rate = 0;                   // What a replica takes within the SLO.
  serving::MissCurve misses;         // What is late at any rate.
  int replicas = 0;                  // Without spares.
  int weeks_kept_with_fewer = 0;     // As the deployment's, with one of these replicas fewer.
};

// What autoscaling would do over a simulated week.
struct ScaledFleet {
  double gpus = 0;               // Mean, spares included.
  int unit = 1;                  // GPUs that come and go together.
  ReplicasOn on;                 // How many of those, over the time of the simulation.
  std::int64_t target_load = 0;  // Requests outstanding per replica that it aims at.
  double within_slo = 0;
  bool kept = false;
};

// A week, and its requests where they are recorded already.
struct HardWeek {
  std::uint64_t seed = 0;
  double seconds = 0;  // How much of it: all of it where that is quick.
  std::shared_ptr<const serving::ArrivalTape> tape;
};

// How many of the weeks that were simulated kept the SLO.
struct WeekCount {
  int weeks = 0;
  int kept = 0;
};

struct SizedDeployment {
  serving::ReplicaPlan plan;  // The decode pool's, where prefill has a pool of its own.
  std::optional<PromptPool> prompts;
  serving::CapacityFigures figures;  // Closed form.
  double rate = 0;  // What a replica takes within the SLO; simulated where `is_calibrated`.
  serving::MissCurve misses;  // What is late at any rate.
  serving::AllowedMisses allowed = {.first = 0, .each = 0};
  int replicas = 0;          // Without spares.
  int spares = 0;            // Spare replicas of each pool.
  int gpus = 0;              // All that serve or stand by.
  int paid_gpus = 0;         // With what whole machines have beyond them.
  bool has_price = false;    // Dollars and GPUs do not compare: those without come last.
  std::string way;           // The cheapest way to pay for it; empty where no price is known.
  double cost_per_hour = 0;  // USD, in that way; GPUs where no price is known.
  double per_mtoken = 0;     // USD per million tokens at the mean of the demand.
  double load_factor = 0;
  double most_mean = 0;  // Requests per second this fleet could take on average.
  double autoscaled_gpus =
      0;          // Mean in the fluid limit, if replicas came and went with the demand.
  ReplicasOn on;  // How many replicas then; empty where none comes and goes.
  std::optional<ScaledFleet> scaled;  // The same, simulated.
  bool is_calibrated = false;
  bool is_confirmed = false;
  Seconds mean_tpot;  // Closed form, at the mean rate of a replica.
  Seconds ttft;       // This and `tpot`: the SLO's quantile over a simulated week.
  Seconds tpot;
  double fluid_within = 0;        // Share of requests within the SLO in the fluid limit.
  double within_slo = 0;          // The same, simulated.
  double sampled = 1;             // Share of the requests of that week that were simulated.
  int weeks_kept = 0;             // How many of the kTrialWeeks keep the SLO in the fluid limit.
  int weeks_kept_with_fewer = 0;  // The same with one replica fewer, of those that answer.
  WeekCount simulated;
  HardWeek hard_week;  // The week at the line, as fleets of its chip have it.

  // Requests per second that no fleet of these pools goes beyond, without spares.
  double full_rate() const;
};

// The dearest fleet below the answer's cost among those tried, and how it failed.
struct NextCheaper {
  SizedDeployment fleet;
  WeekCount simulated;
  bool is_fluid = false;  // The weeks are those of the fluid limit: none was simulated.
};

struct SizingAnswer {
  std::int64_t enumerated = 0;
  std::int64_t fitting = 0;
  std::int64_t meeting = 0;  // Deployments that keep the SLO at some rate.
  std::int64_t simulated_requests = 0;
  std::vector<SizedDeployment> best;    // Ascending in cost; the first confirmed one is the answer.
  std::vector<SizedDeployment> pareto;  // Cost per token against time per token.
  std::vector<SizedDeployment> candidates;  // All that keep the SLO, one per layout, by cost.
  std::optional<NextCheaper> next_cheaper;  // Nothing where nothing cheaper exists.
  double closed_form_cost = 0;              // The cheapest before anything was simulated.
  int untried = 0;           // Candidates that might be cheaper and were not simulated.
  HardWeek hard_week;        // The week at the line (search/serving_weeks.h).
  int fewest_gpus = 0;       // The smallest fleet beyond the limit that keeps the SLO.
  int fewest_replicas = 0;   // Replicas of that fleet.
  std::string nearest_miss;  // Where nothing meets the SLO: what comes closest,
  std::optional<serving::CapacityFigures> nearest;  // and its times when idle.
};

SizingAnswer size_deployment(const SizingProblem& problem);

// Takes the rate of a replica, and what is late at any rate, from the closed form.
void take_closed_form(SizedDeployment& deployment);
// Fewer replicas than this do not do the mean work in closed form, whatever a simulation finds.
int fewest_for_work(const Weeks& weeks, Hertz saturated);
// What a rate per replica costs on these weeks.
void size_by_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& deployment);
// The cheapest way to pay for so many GPUs of a chip, in replicas of this size, that are busy for
// this share of the time; nothing where no price is known.
const WayPrice* cheapest_way(const SizingProblem& problem, const std::string& chip, int gpus,
                             int replica, double load);
// Cost, load and spares of a fleet whose replicas are settled.
void price_fleet(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& deployment);
// Rates of ten-minute windows of the trial weeks; the trace's own where there is one.
Weeks trial_weeks(const SizingProblem& problem);

// The fewest spares with which more replicas are out than stand by for at most that share of time.
// Where zones are given: and as many that what is left of all but one of them still suffices.
int spares_for(const Outages& outages, int replicas, int gpus_each);
// The share of the time in which no more replicas are out than stand by.
double share_with_enough(const Outages& outages, int replicas, int spares, int gpus_each);

// Replicas without those that stand by, and the GPUs of each; of prompts where they are apart.
struct FleetPools {
  int replicas = 0, gpus_each = 1;
  int prompt_replicas = 0, prompt_gpus_each = 1;
};

FleetPools pools_of(const SizedDeployment& deployment);
// Both pools have as many spares, and a promise holds where neither is short.
int spares_for(const Outages& outages, const FleetPools& pools);
double share_with_enough(const Outages& outages, const FleetPools& pools, int spares);
// All that stand by: for failures, and beside them for deploys, so that neither waits for the
// other.
int standing_by(const SizingProblem& problem, const FleetPools& pools);

// The deployment that carries the highest mean rate on so many GPUs.
std::optional<SizedDeployment> most_for_gpus(const SizingProblem& problem, int gpus);

// Whether a fleet is beyond the limit, or has more replicas than anyone runs; the smallest such is
// remembered.
bool is_too_large(const SizingProblem& problem, const SizedDeployment& d, SizingAnswer& answer);

// Order by dollars; deployments without a known price come last, in the order of their GPUs.
bool is_cheaper(const SizedDeployment& a, const SizedDeployment& b);

}  // namespace loadfactor::search
