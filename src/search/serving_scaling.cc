// Replicas that come and go with the requests outstanding.
#include "search/serving_scaling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "search/serving_settle.h"
#include "search/serving_weeks.h"

namespace loadfactor::search {
namespace {

// Targets of requests outstanding, as shares of what a replica has at the rate it keeps.
constexpr double kHigh = 0.7;
constexpr double kMiddle = 0.45;
constexpr double kLow = 0.25;

// One fleet over one week, with one target after another.
class ScalingTrial {
 public:
  ScalingTrial(RecordedWeeks& recorded, const SizedDeployment& d, std::uint64_t seed)
      : problem_(recorded.problem()),
        fleet_(problem_, d),
        d_(d),
        seconds_(simulated_seconds(problem_, fleet_)),
        week_(recorded.week(seed, seconds_)) {
    const double latency = d.figures.latency > Seconds() ? d.figures.latency.base() : 1;
    outstanding_ = std::max(1.0, d.rate * latency / copies());
  }

  struct Tried {
    ScaledFleet fleet;
    std::int64_t requests = 0;
  };
  // Where only the verdict is wanted, a miss ends the run and leaves the rest open.
  Tried run(double share, bool is_verdict_enough) const {
    FleetQuestion ask = ask_of(problem_, d_, seconds_);
    ask.tape = week_.get();
    ask.is_verdict_enough = is_verdict_enough;
    serving::ScalingRules rules;
    rules.scaling = serving::Scaling::kTarget;
    rules.min_replicas = copies();
    rules.max_replicas = d_.replicas * copies();
    rules.target_load = std::max<std::int64_t>(1, std::llround(share * outstanding_));
    rules.cooldown = 300 * sim::kSecond;
    rules.start_time = sim::ticks_of(Seconds::from_base(problem_.cold_start));
    ask.scaling = rules;
    const FleetRun run = fleet_.run(ask);
    return {{.gpus = (run.mean_replicas + d_.spares) * d_.plan.gpus(),
             .unit = d_.plan.gpus() / copies(),
             .on = with_spares(run.on, d_.spares * copies()),
             .target_load = rules.target_load,
             .within_slo = run.within,
             .kept = run.kept},
            run.requests};
  }

 private:
  int copies() const { return d_.plan.choice.layout.dp; }

  const SizingProblem& problem_;
  const SimulatedFleet fleet_;
  const SizedDeployment& d_;
  double seconds_;
  RecordedWeeks::Tape week_;
  double outstanding_ = 1;  // Requests that one replica has outstanding at its rate.
};

}  // namespace

void simulate_scaling(RecordedWeeks& recorded, SizedDeployment& d, SizingAnswer& answer) {
  if (d.replicas < 2 || d.prompts) return;  // There is nothing to scale, or two things.
  const ScalingTrial trial(recorded, d, answer.hard_week.seed);
  const auto take = [&](const ScalingTrial::Tried& tried) {
    answer.simulated_requests += tried.requests;
    if (!d.scaled || !d.scaled->kept) d.scaled = tried.fleet;
  };
  take(trial.run(kHigh, true));
  if (!d.scaled->kept) take(trial.run(kMiddle, true));
  // A thorough search runs the lowest to its end: where it fails too, it says how far it is off.
  if (!d.scaled->kept) take(trial.run(kLow, !recorded.problem().thorough));
}

std::optional<ScaledFleet> scaled_fleet(const SizingProblem& problem, SizedDeployment deployment,
                                        const HardWeek& week) {
  constexpr std::int64_t kNoneKept = 0;  // One week is made for one fleet.
  RecordedWeeks recorded(problem, kNoneKept);
  if (week.tape != nullptr) recorded.keep(week.seed, week.seconds, week.tape);
  SizingAnswer answer;
  answer.hard_week = week;
  simulate_scaling(recorded, deployment, answer);
  return deployment.scaled;
}

}  // namespace loadfactor::search
