#include "search/serving_settle.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>

#include "demand/generate.h"

namespace loadfactor::search {
namespace {

constexpr double kWeek = 7 * 86400;
constexpr std::uint64_t kFirstWeek = 9001;  // Seeds of simulated weeks begin so far from ours.
constexpr int kMostSimulated = 20'000;      // Replicas; beyond, the closed form stands alone.

demand::TrafficModel flat(const demand::TrafficModel& model, double rate) {
  demand::TrafficModel still = model;
  still.day = still.half_day = demand::Wave();
  still.weekend = 1;
  still.day_sigma = 0;
  still.slow = demand::LogNoise();
  still.on_off = demand::OnOff();
  still.sessions = demand::Sessions();
  return demand::scaled_to(still, Hertz::from_base(rate));
}

double requests_of_week(const SizingProblem& problem) {
  return std::max(1.0, demand::expected_rate(problem.model).base() * kWeek);
}

FleetAsk ask_of(const SizingProblem& problem, const SizedDeployment& d, double seconds) {
  FleetAsk ask{.replicas = d.replicas, .model = &problem.model, .seconds = seconds};
  if (d.prompts) ask.prompt_replicas = d.prompts->replicas;
  return ask;
}

// One week with its maintenance.
FleetRun run_week(const SizingProblem& problem, const SimulatedFleet& fleet,
                  const SizedDeployment& d, std::uint64_t seed, double seconds) {
  FleetAsk ask = ask_of(problem, d, seconds);
  ask.seed = seed;
  if (d.spares == 0) {  // Otherwise a spare stands in.
    std::vector<double> rates = problem.trace_rates;
    if (rates.empty()) {
      const auto profile = demand::generate_rates(problem.model, seed, Seconds::from_base(kWeek),
                                                  Seconds::from_base(600));
      for (const auto& window : profile.windows) rates.push_back(window.rate.base());
    }
    ask.outages =
        maintenance_of(rates, d.replicas * d.plan.choice.layout.dp, problem.outages.maintenance);
  }
  return fleet.run(ask);
}

// Weeks in pairs, so that the count does not depend on how many threads there are.
struct WeekRuns {
  WeekCount count;
  FleetRun first;
  FleetRun worst;  // The last one that missed, or the first.
  std::int64_t requests = 0;
};
WeekRuns run_weeks(const SizingProblem& problem, const SimulatedFleet& fleet,
                   const SizedDeployment& d, std::uint64_t first_seed, int weeks, int most_missed) {
  WeekRuns runs;
  const double seconds = simulated_seconds(problem, fleet);
  const auto one = [&](int week) {
    return run_week(problem, fleet, d, first_seed + static_cast<std::uint64_t>(week), seconds);
  };
  for (int week = 0; week < weeks; week += 2) {
    std::future<FleetRun> beside;
    if (week + 1 < weeks) beside = std::async(std::launch::async, one, week + 1);
    std::vector<FleetRun> pair{one(week)};
    if (beside.valid()) pair.push_back(beside.get());
    for (const FleetRun& run : pair) {
      if (runs.count.weeks == 0) runs.first = runs.worst = run;
      ++runs.count.weeks;
      runs.count.kept += run.kept ? 1 : 0;
      runs.requests += run.requests;
      if (!run.kept) runs.worst = run;
    }
    if (runs.count.weeks - runs.count.kept > most_missed) break;
  }
  return runs;
}

// As many as take a quarter of a minute or so.
int weeks_to_run(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 1;
  if (problem.weeks > 0) return problem.weeks;
  const double budget = fleet.is_quick() ? 4e7 : 2e6;
  const double each = requests_of_week(problem) * simulated_seconds(problem, fleet) / kWeek;
  return static_cast<int>(std::clamp(budget / each, 2.0, static_cast<double>(kTrialWeeks)));
}

int most_missed(int weeks) {
  return weeks * (kTrialWeeks - kWeeksToKeep) / kTrialWeeks;
}

// The trial of fleets: those that grow until they keep the SLO, those below that do not.
class Settlement {
 public:
  Settlement(const SizingProblem& problem, const Weeks& weeks, SizingAnswer& answer)
      : problem_(problem), weeks_(weeks), answer_(answer) {}

  void run() {
    for (SizedDeployment& d : answer_.best) {
      if (d.replicas * d.plan.choice.layout.dp > kMostSimulated) continue;
      trials_.push_back({d, std::make_unique<SimulatedFleet>(problem_, d)});
    }
    if (trials_.empty()) return;
    if (!grow_until_kept()) return put_first(cheapest()->fleet);
    while (problem_.thorough && step_down()) {
    }
    put_first(current_);
    for (const NextCheaper& missed : missed_) {
      if (!is_cheaper(missed.fleet, current_)) continue;
      auto& next = answer_.next_cheaper;
      if (!next || is_cheaper(next->fleet, missed.fleet)) next = missed;
    }
  }

 private:
  struct Trial {
    SizedDeployment fleet;
    std::unique_ptr<SimulatedFleet> simulated;
  };

  Trial* cheapest() {
    const auto at = std::min_element(
        trials_.begin(), trials_.end(),
        [](const Trial& a, const Trial& b) { return is_cheaper(a.fleet, b.fleet); });
    return &*at;
  }

  // Simulates the weeks and remembers a miss.
  WeekRuns judge(const Trial& trial, SizedDeployment& fleet) {
    const int weeks = weeks_to_run(problem_, *trial.simulated);
    const WeekRuns runs = run_weeks(problem_, *trial.simulated, fleet, problem_.seed + kFirstWeek,
                                    weeks, most_missed(weeks));
    answer_.simulated_requests += runs.requests;
    answer_.simulated_seconds = simulated_seconds(problem_, *trial.simulated);
    fleet.simulated = runs.count;
    fleet.is_confirmed = runs.count.weeks - runs.count.kept <= most_missed(weeks);
    const FleetRun& shown = fleet.is_confirmed ? runs.first : runs.worst;
    fleet.ttft = shown.ttft;
    fleet.tpot = shown.tpot;
    fleet.within_slo = shown.within;
    if (!fleet.is_confirmed) missed_.push_back({fleet, runs.count});
    return runs;
  }

  bool grow_until_kept() {
    constexpr int kMostTrials = 24;
    for (int i = 0; i < kMostTrials && !trials_.empty(); ++i) {
      Trial& trial = *cheapest();
      const WeekRuns runs = judge(trial, trial.fleet);
      if (trial.fleet.is_confirmed) {
        current_ = trial.fleet;
        return true;
      }
      if (runs.first.requests == 0) return false;
      grow(trial.fleet, runs.worst);
      if (!is_too_large(problem_, trial.fleet, answer_)) continue;
      if (trials_.size() == 1) return false;
      trials_.erase(trials_.begin() + (&trial - trials_.data()));
    }
    return false;
  }

  void grow(SizedDeployment& fleet, const FleetRun& run) {
    const auto more = [](int replicas) { return replicas + std::max(1, replicas / 30); };
    if (!fleet.prompts || !run.each_kept || run.first_kept) fleet.replicas = more(fleet.replicas);
    if (fleet.prompts && !run.first_kept) fleet.prompts->replicas = more(fleet.prompts->replicas);
    price_fleet(problem_, weeks_, fleet);
  }

  // Tries, for every candidate, the largest fleet below the cost of the one that keeps the SLO.
  bool step_down() {
    for (Trial& trial : trials_) {
      for (SizedDeployment fleet : below(trial.fleet)) {
        if (is_known_to_miss(fleet)) continue;
        judge(trial, fleet);
        if (!fleet.is_confirmed) continue;
        current_ = fleet;
        return true;
      }
    }
    return false;
  }

  std::vector<SizedDeployment> below(const SizedDeployment& like) const {
    std::vector<SizedDeployment> fleets;
    if (like.prompts) {
      for (const int which : {0, 1}) {
        SizedDeployment fleet = like;
        int& replicas = which == 0 ? fleet.replicas : fleet.prompts->replicas;
        if (--replicas < 1) continue;
        price_fleet(problem_, weeks_, fleet);
        if (is_cheaper(fleet, current_)) fleets.push_back(fleet);
      }
      return fleets;
    }
    SizedDeployment fleet = like;
    fleet.replicas = std::max(fleet.replicas, 1) + 1;
    do {
      if (--fleet.replicas < 1) return fleets;
      price_fleet(problem_, weeks_, fleet);
    } while (!is_cheaper(fleet, current_));
    fleets.push_back(fleet);
    return fleets;
  }

  bool is_known_to_miss(const SizedDeployment& fleet) const {
    return std::any_of(missed_.begin(), missed_.end(), [&](const NextCheaper& missed) {
      const auto& c = missed.fleet.plan.choice;
      const bool same =
          c.chip == fleet.plan.choice.chip && missed.fleet.plan.step == fleet.plan.step;
      if (!same || missed.fleet.replicas < fleet.replicas) return false;
      return !fleet.prompts || missed.fleet.prompts->replicas >= fleet.prompts->replicas;
    });
  }

  void put_first(const SizedDeployment& fleet) {
    std::vector<SizedDeployment> rest;
    for (const SizedDeployment& d : answer_.best)
      if (d.plan.step != fleet.plan.step) rest.push_back(d);
    // What is known of the others by now; a fleet that missed is not shown as an answer.
    for (SizedDeployment& d : rest)
      for (const Trial& trial : trials_)
        if (trial.fleet.plan.step == d.plan.step) d = trial.fleet;
    for (SizedDeployment& d : rest) {
      const bool below = is_cheaper(d, fleet) || is_known_to_miss(d);
      if (below) grow_beyond(d, fleet);
    }
    std::stable_sort(rest.begin(), rest.end(), is_cheaper);
    answer_.best = {fleet};
    answer_.best.insert(answer_.best.end(), rest.begin(), rest.end());
  }

  // The fleet of another candidate that is not yet known to miss.
  void grow_beyond(SizedDeployment& d, const SizedDeployment& answer) const {
    for (int i = 0; i < 1000 && (is_cheaper(d, answer) || is_known_to_miss(d)); ++i) {
      ++d.replicas;
      price_fleet(problem_, weeks_, d);
    }
    d.is_confirmed = false;
    d.simulated = {};
  }

  const SizingProblem& problem_;
  const Weeks& weeks_;
  SizingAnswer& answer_;
  std::vector<Trial> trials_;
  std::vector<NextCheaper> missed_;
  SizedDeployment current_;
};

}  // namespace

double simulated_seconds(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 0;
  constexpr double kMostOfManySteps = 400'000;  // Requests, where every step is simulated.
  const double most =
      fleet.is_quick() ? static_cast<double>(problem.most_requests) : kMostOfManySteps;
  return kWeek * std::min(1.0, most / requests_of_week(problem));
}

void calibrate_rate(const SizingProblem& problem, const Weeks& weeks, SizedDeployment& d,
                    SizingAnswer& answer) {
  constexpr int kRounds = 7;
  const SimulatedFleet fleet(problem, d);
  const double requests = fleet.is_quick() ? 20'000 : 5'000;
  SizedDeployment few = d;
  few.replicas = std::clamp(d.replicas, 1, 4);
  if (d.prompts)
    few.prompts->replicas =
        std::max(1, static_cast<int>(std::lround(static_cast<double>(d.prompts->replicas) *
                                                 few.replicas / std::max(1, d.replicas))));
  const auto held = [&](double each, double prompts) {
    const double answers = each * few.replicas;
    return few.prompts ? std::min(answers, prompts * few.prompts->replicas) : answers;
  };
  const double expected = held(d.rate, d.prompts ? d.prompts->rate : 0);
  const double saturated = few.full_rate();
  double low = 0;
  double high = saturated;
  double offered = std::min(expected, 0.999 * saturated);
  for (int round = 0; round < kRounds; ++round) {
    const demand::TrafficModel still = flat(problem.model, offered);
    FleetAsk ask = ask_of(problem, few, requests / offered);
    ask.model = &still;
    ask.seed = problem.seed + 500 + static_cast<std::uint64_t>(round);
    const FleetRun run = fleet.run(ask);
    answer.simulated_requests += run.requests;
    (run.kept ? low : high) = offered;
    // Away from the closed form by steps first, then by halving.
    constexpr double kStep = 1.15;
    if (low == 0)
      offered = std::max(offered / kStep / kStep, 1e-3 * saturated);
    else if (high >= saturated)
      offered = std::min(offered * kStep, 0.999 * saturated);
    else
      offered = 0.5 * (low + high);
    if (low > 0 && high < saturated && high / low < 1.02) break;
  }
  const double factor = low / expected;
  d.rate *= factor;
  if (d.prompts) d.prompts->rate *= factor;
  d.is_calibrated = low > 0;
  if (low > 0) size_by_rate(problem, weeks, d);
}

WeekCount count_weeks(const SizingProblem& problem, const SizedDeployment& fleet,
                      std::uint64_t first_seed, int count, int most) {
  const SimulatedFleet simulated(problem, fleet);
  return run_weeks(problem, simulated, fleet, first_seed, count, most).count;
}

void settle(const SizingProblem& problem, const Weeks& weeks, SizingAnswer& answer) {
  Settlement(problem, weeks, answer).run();
}

void simulate_scaling(const SizingProblem& problem, SizedDeployment& d, SizingAnswer& answer) {
  if (d.replicas < 2 || d.prompts) return;  // There is nothing to scale, or two things.
  const SimulatedFleet fleet(problem, d);
  const double seconds = simulated_seconds(problem, fleet);
  const int copies = d.plan.choice.layout.dp;
  const double latency = d.figures.latency > 0 ? d.figures.latency : 1;
  const double outstanding = std::max(1.0, d.rate * latency / copies);  // Of one copy at its rate.
  for (const double share : {0.7, 0.45, 0.25}) {
    FleetAsk ask = ask_of(problem, d, seconds);
    ask.seed = problem.seed + kFirstWeek;
    serving::ScalingRules rules;
    rules.scaling = serving::Scaling::kTarget;
    rules.min_replicas = copies;
    rules.max_replicas = d.replicas * copies;
    rules.target_load = std::max<std::int64_t>(1, std::llround(share * outstanding));
    rules.cooldown = 300 * sim::kSecond;
    rules.start_time = sim::ticks_of(Seconds::from_base(problem.cold_start));
    ask.scaling = rules;
    const FleetRun run = fleet.run(ask);
    answer.simulated_requests += run.requests;
    ScaledFleet scaled{.gpus = (run.mean_replicas + d.spares) * d.plan.gpus(),
                       .target_load = rules.target_load,
                       .within_slo = run.within,
                       .kept = run.kept};
    if (!d.scaled || run.kept) d.scaled = scaled;
    if (run.kept) return;
  }
}

}  // namespace loadfactor::search
