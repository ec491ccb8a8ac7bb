#include "search/serving_weeks.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <future>
#include <numeric>
#include <utility>

#include "base/workers.h"
#include "demand/generate.h"
#include "search/trial_weeks.h"
#include "serving/load_factor.h"

namespace loadfactor::search {
namespace {

constexpr std::uint64_t kFirstWeek = 9001;  // Far from the seeds of trial weeks.
// Share of the ranked weeks that may be simulated on each side of the line.
constexpr double kShareOnEachSide = 0.1;

double requests_of_week(const SizingProblem& problem) {
  return std::max(1.0, demand::expected_rate(problem.model).base() * kWeekSeconds);
}

// A week by rate, and what its rates are multiplied by. A trace or a profile is the only one.
struct ScaledWeek {
  std::shared_ptr<const WeekShapes::Week> week;
  double scale = 1;
};
ScaledWeek week_of(const SizingProblem& problem, std::uint64_t seed, double seconds) {
  if (!problem.trace_rates.empty())
    return {std::make_shared<const WeekShapes::Week>(
        WeekShapes::Week{problem.trace_rates, levels_of(problem.trace_rates)})};
  return {problem.shapes->week(problem.model, seed, seconds),
          demand::expected_rate(problem.model).base()};
}

struct RankedWeek {
  // Weeks are ordered by how far the fleet overruns its promise in them. Where it never does, by
  // the rate below which the SLO's share of the requests comes.
  double overrun = 0;
  double level = 0;
  std::uint64_t seed = 0;
  auto operator<=>(const RankedWeek&) const = default;
};

// Every second week from `first` on.
std::vector<RankedWeek> every_second(const SizingProblem& problem, const SizedDeployment& fleet,
                                     double seconds, int first) {
  std::vector<RankedWeek> weeks;
  for (int i = first; i < kRankedWeeks && !problem.is_stopped(); i += 2) {
    const std::uint64_t seed = problem.seed + kFirstWeek + static_cast<std::uint64_t>(i);
    const auto [week, scale] = week_of(problem, seed, seconds);
    weeks.push_back({overrun(week->levels, fleet, scale),
                     serving::level_for(week->rates, problem.slo_quantile).base(), seed});
  }
  return weeks;
}

// Maintenance in what is simulated of a week, so many turns as that part of it has. A trace is
// replayed as it is, as `serve --simulate` replays it, and a spare stands in where there is one.
std::vector<serving::Failure> outages_of(const SizingProblem& problem, const SizedDeployment& d,
                                         std::uint64_t seed, double seconds) {
  if (problem.trace != nullptr || d.spares > 0) return {};
  const double share = std::min(1.0, seconds / kWeekSeconds);
  std::vector<double> rates = week_of(problem, seed, kWeekSeconds).week->rates;
  rates.resize(static_cast<std::size_t>(share * static_cast<double>(rates.size()) + 1e-6));
  const double turns = share * d.replicas * d.plan.choice.layout.dp;
  return maintenance_of(rates, static_cast<int>(turns + 1e-6), problem.outages.maintenance);
}

// One week with its maintenance. Where prefill and decode have pools of their own, the bound that
// too many missed says which pool is too small.
FleetRun run_week(RecordedWeeks& weeks, const SimulatedFleet& fleet, const SizedDeployment& d,
                  std::uint64_t seed) {
  const SizingProblem& problem = weeks.problem();
  const double seconds = simulated_seconds(problem, fleet);
  const RecordedWeeks::Tape tape = weeks.week(seed, seconds);
  FleetQuestion ask = ask_of(problem, d, seconds);
  ask.tape = tape.get();
  ask.is_verdict_enough = true;
  ask.outages = outages_of(problem, d, seed, seconds);
  return fleet.run(ask);
}

}  // namespace

double simulated_seconds(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 0;
  constexpr double kMostOfManySteps = 200'000;  // Requests, where every step is simulated.
  const double most =
      fleet.is_quick() ? static_cast<double>(problem.most_requests) : kMostOfManySteps;
  return kWeekSeconds * std::min(1.0, most / requests_of_week(problem));
}

int weeks_to_run(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 1;
  if (problem.weeks > 0) return problem.weeks;
  const double budget = fleet.is_quick() ? 3e7 : 1e6;
  const double each = requests_of_week(problem) * simulated_seconds(problem, fleet) / kWeekSeconds;
  return static_cast<int>(std::clamp(budget / each, 3.0, static_cast<double>(kTrialWeeks)));
}

FleetQuestion ask_of(const SizingProblem& problem, const SizedDeployment& d, double seconds) {
  FleetQuestion ask{.replicas = d.replicas, .model = &problem.model, .seconds = seconds};
  if (d.prompts) ask.prompt_replicas = d.prompts->replicas;
  return ask;
}

std::vector<std::uint64_t> hard_weeks(const SizingProblem& problem, const SizedDeployment& fleet,
                                      double seconds, int count) {
  if (problem.trace != nullptr) return {problem.seed + kFirstWeek};
  auto odd = std::async(kBeside, [&] { return every_second(problem, fleet, seconds, 1); });
  std::vector<RankedWeek> ranked = every_second(problem, fleet, seconds, 0);
  for (const RankedWeek& week : odd.get()) ranked.push_back(week);
  if (problem.is_stopped()) return {problem.seed + kFirstWeek};
  std::sort(ranked.begin(), ranked.end());
  const int near =
      std::min(count, static_cast<int>(std::lround(2 * kShareOnEachSide * kRankedWeeks)));
  std::vector<std::pair<double, std::uint64_t>> by_distance;  // Distance from the line and seed.
  for (int i = 0; i < near; ++i) {
    const double place = (i + 0.5) / near - 0.5;
    const auto rank =
        static_cast<std::size_t>((kShareKeptAtLine + 2 * kShareOnEachSide * place) * kRankedWeeks);
    by_distance.emplace_back(std::abs(place), ranked[rank].seed);
  }
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first - 1e-9; });
  std::vector<std::uint64_t> seeds;
  for (const auto& week : by_distance) seeds.push_back(week.second);
  return seeds;
}

WeekRuns try_weeks(RecordedWeeks& weeks, const SimulatedFleet& fleet, const SizedDeployment& d,
                   const std::vector<std::uint64_t>& seeds, int lead) {
  WeekRuns runs;
  const auto one = [&](std::uint64_t seed) { return run_week(weeks, fleet, d, seed); };
  // Always in pairs, so that the count does not depend on how many threads there are.
  for (std::size_t week = 0; week < seeds.size(); week += 2) {
    if (week > 0 && weeks.problem().is_stopped()) break;
    std::future<FleetRun> concurrent;
    if (week + 1 < seeds.size()) concurrent = std::async(kBeside, one, seeds[week + 1]);
    std::vector<FleetRun> pair{one(seeds[week])};
    if (concurrent.valid()) pair.push_back(concurrent.get());
    for (const FleetRun& run : pair) {
      if (runs.count.weeks == 0) runs.first = runs.worst = run;
      ++runs.count.weeks;
      runs.count.kept += run.kept ? 1 : 0;
      runs.requests += run.requests;
      if (!run.kept) runs.worst = run;
    }
    if (std::abs(2 * runs.count.kept - runs.count.weeks) >= lead) break;
  }
  return runs;
}

bool keeps_enough(const WeekCount& count) {
  return count.weeks > 0 && 2 * count.kept >= count.weeks;
}

WeekCount count_weeks(const SizingProblem& problem, const SizedDeployment& d,
                      std::uint64_t first_seed, int count) {
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < count; ++i) seeds.push_back(first_seed + static_cast<std::uint64_t>(i));
  RecordedWeeks weeks(problem, 0);  // None is seen twice.
  return try_weeks(weeks, SimulatedFleet(problem, d), d, seeds, count + 1).count;
}

}  // namespace loadfactor::search
