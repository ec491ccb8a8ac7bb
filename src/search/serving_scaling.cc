// Replicas that come and go with the requests outstanding.
#include "search/serving_scaling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_string.h"
#include "base/crew.h"
#include "search/sampled_week.h"
#include "search/serving_settle.h"
#include "search/serving_weeks.h"

namespace loadfactor::search {
namespace {

// Targets of requests outstanding, as shares of what a replica has at the rate it keeps.
constexpr double kHigh = 0.7;
constexpr double kMiddle = 0.45;
constexpr double kLow = 0.25;

struct Target {
  double share = 0;
  bool is_verdict_enough = false;  // A miss ends the run and leaves the rest open.
  bool is_last = false;            // What it misses is shown.
};

// One fleet over one week, with one target after another.
class ScalingTrial {
 public:
  ScalingTrial(RecordedWeeks& recorded, const SizedDeployment& d, std::uint64_t seed)
      : problem_(recorded.problem()),
        fleet_(problem_, d),
        d_(d),
        recorded_(recorded),
        seed_(seed),
        seconds_(simulated_seconds(problem_, fleet_)) {
    const double latency = d.figures.latency > Seconds() ? d.figures.latency.base() : 1;
    outstanding_ = std::max(1.0, d.rate * latency / copies());
  }

  struct Tried {
    ScaledFleet fleet;
    std::int64_t requests = 0;
  };
  Tried run(const Target& target) {
    FleetQuestion ask = ask_of(problem_, d_, seconds_);
    serving::ScalingRules rules;
    rules.scaling = serving::Scaling::kTarget;
    rules.min_replicas = copies();
    rules.max_replicas = d_.replicas * copies();
    rules.target_load = std::max<std::int64_t>(1, std::llround(target.share * outstanding_));
    rules.cooldown = 300 * sim::kSecond;
    rules.start_time = sim::ticks_of(Seconds::from_base(problem_.cold_start));
    ask.scaling = rules;
    const FleetRun run = run_of(ask, target);
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

  // Runs a sample of the week where that decides, else the week, which is made once.
  FleetRun run_of(FleetQuestion& ask, const Target& target) {
    ask.is_verdict_enough = target.is_verdict_enough && !target.is_last;
    if (const auto sampled = sample_week(problem_, fleet_, d_, ask, seed_)) return sampled->run;
    if (!week_) week_ = recorded_.week(seed_, seconds_);
    ask.tape = week_.get();
    ask.is_verdict_enough = target.is_verdict_enough;
    return fleet_.run(ask);
  }

  const SizingProblem& problem_;
  const SimulatedFleet fleet_;
  const SizedDeployment& d_;
  RecordedWeeks& recorded_;
  std::uint64_t seed_;
  double seconds_;
  RecordedWeeks::Tape week_;
  double outstanding_ = 1;  // Requests that one replica has outstanding at its rate.
};

std::string packed(const ScalingTrial::Tried& tried) {
  std::string bytes;
  put_value(bytes, tried.requests);
  put_value(bytes, tried.fleet.gpus);
  put_value(bytes, tried.fleet.unit);
  put_value(bytes, tried.fleet.target_load);
  put_value(bytes, tried.fleet.within_slo);
  put_value(bytes, tried.fleet.kept);
  put_list(bytes, tried.fleet.on);
  return bytes;
}

ScalingTrial::Tried unpacked_scaling(std::string_view bytes) {
  ScalingTrial::Tried tried;
  tried.requests = take_value<std::int64_t>(bytes);
  tried.fleet.gpus = take_value<double>(bytes);
  tried.fleet.unit = take_value<int>(bytes);
  tried.fleet.target_load = take_value<std::int64_t>(bytes);
  tried.fleet.within_slo = take_value<double>(bytes);
  tried.fleet.kept = take_value<bool>(bytes);
  tried.fleet.on = take_list<double>(bytes);
  return tried;
}

// Tries the target that is next. A crew tries as many at once as it has members: one that turns out
// not to be needed counts for nothing.
void try_next(const SizingProblem& problem, ScalingTrial& trial, std::span<const Target> targets,
              std::vector<ScalingTrial::Tried>& tried) {
  const auto rest = targets.subspan(tried.size());
  if (!problem.is_shared()) return tried.push_back(trial.run(rest.front()));
  const std::size_t count = std::min(rest.size(), static_cast<std::size_t>(problem.crew->size()));
  const auto shared = problem.crew->share(
      count, [&](std::int64_t i) { return packed(trial.run(rest[static_cast<std::size_t>(i)])); });
  for (const std::string& bytes : shared) tried.push_back(unpacked_scaling(bytes));
}

}  // namespace

void simulate_scaling(RecordedWeeks& recorded, SizedDeployment& d, SizingAnswer& answer) {
  if (d.replicas < 2 || d.prompts) return;  // There is nothing to scale, or two things.
  if (is_beyond_simulation(d)) return;
  ScalingTrial trial(recorded, d, answer.hard_week.seed);
  // A thorough search runs the lowest to its end: where it fails too, it says how far it is off.
  const std::array<Target, 3> targets{
      {{kHigh, true}, {kMiddle, true}, {kLow, !recorded.problem().thorough, true}}};
  std::vector<ScalingTrial::Tried> tried;
  for (std::size_t i = 0; i < targets.size() && !(d.scaled && d.scaled->kept); ++i) {
    if (i == tried.size()) try_next(recorded.problem(), trial, targets, tried);
    answer.simulated_requests += tried[i].requests;
    d.scaled = tried[i].fleet;
  }
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
