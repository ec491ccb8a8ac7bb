#include "search/serving_weeks.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <future>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/byte_string.h"
#include "base/crew.h"
#include "base/workers.h"
#include "demand/generate.h"
#include "search/sampled_week.h"
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

// Every week from `first` on in steps of `step`.
std::vector<RankedWeek> every_nth(const SizingProblem& problem, const SizedDeployment& fleet,
                                  double seconds, int first, int step) {
  std::vector<RankedWeek> weeks;
  for (int i = first; i < kRankedWeeks && !problem.is_stopped(); i += step) {
    const std::uint64_t seed = problem.seed + kFirstWeek + static_cast<std::uint64_t>(i);
    const auto [week, scale] = week_of(problem, seed, seconds);
    weeks.push_back({overrun(week->levels, fleet, scale),
                     serving::level_for(week->rates, problem.slo_quantile).base(), seed});
  }
  return weeks;
}

// All weeks from the easiest to the hardest, looked at by two threads or by the whole crew.
std::vector<RankedWeek> ranked_weeks(const SizingProblem& problem, const SizedDeployment& fleet,
                                     double seconds) {
  std::vector<RankedWeek> ranked;
  if (problem.is_shared()) {
    const int step = 2 * problem.crew->size();
    const auto parts = problem.crew->share(static_cast<std::size_t>(step), [&](std::int64_t first) {
      std::string bytes;
      put_list(bytes, every_nth(problem, fleet, seconds, static_cast<int>(first), step));
      return bytes;
    });
    for (std::string_view part : parts)
      for (const RankedWeek& week : take_list<RankedWeek>(part)) ranked.push_back(week);
  } else {
    auto odd = done_beside([&] { return every_nth(problem, fleet, seconds, 1, 2); });
    ranked = every_nth(problem, fleet, seconds, 0, 2);
    for (const RankedWeek& week : odd.get()) ranked.push_back(week);
  }
  std::sort(ranked.begin(), ranked.end());
  return ranked;
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
  FleetQuestion ask = ask_of(problem, d, seconds);
  ask.outages = outages_of(problem, d, seed, seconds);
  if (const auto sampled = sample_week(problem, fleet, d, ask, seed)) return sampled->run;
  const RecordedWeeks::Tape tape = weeks.week(seed, seconds);
  ask.tape = tape.get();
  ask.is_verdict_enough = true;
  return fleet.run(ask);
}

// Everything of a run but the replicas that came and went: in these weeks none does.
template <typename Run, typename Visit>
void visit_figures(Run& run, const Visit& visit) {
  visit(run.ttft);
  visit(run.tpot);
  visit(run.within);
  visit(run.first_missed);
  visit(run.each_missed);
  visit(run.mean_replicas);
  visit(run.served_rate);
  visit(run.requests);
  visit(run.sampled);
  visit(run.first_kept);
  visit(run.each_kept);
  visit(run.kept);
  visit(run.is_decided);
}

// Weeks of a fleet on the processes of a crew. Whoever records a week sends it with its run, for
// that is sooner done than to record it once more.
class SharedWeeks {
 public:
  SharedWeeks(RecordedWeeks& weeks, const SimulatedFleet& fleet, const SizedDeployment& d)
      : weeks_(weeks), fleet_(fleet), d_(d), seconds_(simulated_seconds(weeks.problem(), fleet)) {}

  std::vector<FleetRun> run(const std::vector<std::uint64_t>& seeds) {
    const auto shared = weeks_.problem().crew->share(seeds.size(), [&](std::int64_t i) {
      return packed_run(seeds[static_cast<std::size_t>(i)]);
    });
    std::vector<FleetRun> runs;
    for (std::size_t i = 0; i < shared.size(); ++i)
      runs.push_back(unpacked_run(seeds[i], shared[i]));
    return runs;
  }

 private:
  std::string packed_run(std::uint64_t seed) {
    const bool is_known = weeks_.known(seed, seconds_) != nullptr;
    const FleetRun run = run_week(weeks_, fleet_, d_, seed);
    std::string bytes;
    visit_figures(run, [&](const auto& figure) { put_value(bytes, figure); });
    const auto tape = is_known ? nullptr : weeks_.known(seed, seconds_);
    if (tape != nullptr) bytes += tape->bytes();
    return bytes;
  }

  FleetRun unpacked_run(std::uint64_t seed, std::string_view bytes) {
    FleetRun run;
    visit_figures(run, [&](auto& figure) {
      figure = take_value<std::remove_reference_t<decltype(figure)>>(bytes);
    });
    if (!bytes.empty() && weeks_.known(seed, seconds_) == nullptr)
      weeks_.keep(seed, seconds_, std::make_shared<const serving::ArrivalTape>(bytes));
    return run;
  }

  RecordedWeeks& weeks_;
  const SimulatedFleet& fleet_;
  const SizedDeployment& d_;
  double seconds_;
};

// The next weeks to simulate: two in threads of ours, or as many as keep the crew busy. Some of
// these may turn out not to be needed, and count for nothing.
std::vector<FleetRun> run_next(RecordedWeeks& weeks, const SimulatedFleet& fleet,
                               const SizedDeployment& d, const std::vector<std::uint64_t>& seeds,
                               std::size_t first) {
  const SizingProblem& problem = weeks.problem();
  const auto one = [&](std::uint64_t seed) { return run_week(weeks, fleet, d, seed); };
  std::vector<FleetRun> runs;
  if (problem.is_shared()) {
    const auto members = static_cast<std::size_t>(problem.crew->size());
    const std::size_t end = std::min(seeds.size(), first + members + members % 2);
    const auto at = seeds.begin();
    return SharedWeeks(weeks, fleet, d)
        .run({at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(end)});
  }
  std::future<FleetRun> concurrent;
  if (first + 1 < seeds.size()) concurrent = done_beside([&] { return one(seeds[first + 1]); });
  runs.push_back(one(seeds[first]));
  if (concurrent.valid()) runs.push_back(concurrent.get());
  return runs;
}

}  // namespace

double simulated_seconds(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 0;
  constexpr double kMostOfManySteps = 200'000;  // Requests, where every step is simulated.
  const double requests = requests_of_week(problem);
  if (!fleet.is_quick()) return kWeekSeconds * std::min(1.0, kMostOfManySteps / requests);
  const auto most = static_cast<double>(problem.most_requests);
  if (requests <= most) return kWeekSeconds;
  // Millions of requests say as much of a fleet as the tens of millions of a long week do.
  constexpr double kShareOfMost = 1.0 / 3;
  return kWeekSeconds * kShareOfMost * most / requests;
}

int weeks_to_run(const SizingProblem& problem, const SimulatedFleet& fleet) {
  if (problem.trace != nullptr) return 1;
  const double each = requests_of_week(problem) * simulated_seconds(problem, fleet) / kWeekSeconds;
  // In a week of a few requests a single one that meets an outage would decide.
  constexpr double kFewestRequests = 500;
  const double telling = std::min(kFewestRequests / each, static_cast<double>(kTrialWeeks));
  if (problem.weeks > 0) return std::max(problem.weeks, static_cast<int>(telling));
  const double budget = fleet.is_quick() ? 3e7 : 1e6;
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
  const std::vector<RankedWeek> ranked = ranked_weeks(problem, fleet, seconds);
  if (problem.is_stopped()) return {problem.seed + kFirstWeek};
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
  std::vector<FleetRun> done;
  // Always in pairs, so that the count does not depend on how many work at it.
  for (std::size_t week = 0; week < seeds.size(); week += 2) {
    if (week > 0 && weeks.problem().is_stopped()) break;
    if (week >= done.size())
      for (FleetRun& run : run_next(weeks, fleet, d, seeds, week)) done.push_back(std::move(run));
    for (std::size_t i = week; i < std::min(week + 2, done.size()); ++i) {
      const FleetRun& run = done[i];
      const bool is_kept = run.kept || run.requests == 0;  // Nobody came, and nobody waited.
      if (runs.requests == 0) runs.first = runs.worst = run;
      ++runs.count.weeks;
      runs.count.kept += is_kept ? 1 : 0;
      runs.requests += run.requests;
      if (!is_kept) runs.worst = run;
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
