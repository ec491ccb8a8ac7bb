// Replicas that come and go by the hour of the week.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/calendar.h"
#include "search/recorded_weeks.h"
#include "search/serving_scaling.h"
#include "search/serving_weeks.h"

namespace loadfactor::search {
namespace {

constexpr Seconds kLongestRecord = kWeek * 8;  // Beyond, all replicas stay.

// The hour of the week in which a record begins.
std::size_t first_hour(const SizingProblem& problem) {
  if (problem.trace == nullptr || !problem.trace->has_calendar) return 0;
  constexpr std::int64_t kNanosecondsPerHour = 3'600'000'000'000;
  constexpr std::int64_t kEpoch = 3 * 24;  // 1970 began on a Thursday.
  constexpr std::int64_t kWeekHours = 168;
  const std::int64_t hours = problem.trace->origin / kNanosecondsPerHour;
  return static_cast<std::size_t>(((hours + kEpoch) % kWeekHours + kWeekHours) % kWeekHours);
}

// A part of a week below a day is its busiest hours (model_of_part).
std::vector<int> timetable_of(const SizingProblem& problem, double seconds,
                              const std::vector<int>& by_hour, int copies) {
  const bool is_part = problem.trace == nullptr && seconds < kDay.base();
  const int most = *std::max_element(by_hour.begin(), by_hour.end());
  std::vector<int> table;
  const std::size_t first = first_hour(problem);
  for (std::size_t hour = 0; hour < by_hour.size(); ++hour)
    table.push_back(copies * (is_part ? most : by_hour[(first + hour) % by_hour.size()]));
  return table;
}

// Replicas beyond those of an hour are taken away when it begins, with what they have in flight,
// and come back when an hour needs them again: they serve once they have started.
std::vector<serving::Failure> absences_of(const std::vector<int>& table, double seconds,
                                          Seconds start) {
  const int most = *std::max_element(table.begin(), table.end());
  const auto hours = static_cast<std::size_t>(std::ceil(seconds / kHour.base()));
  constexpr sim::Ticks kHourTicks = 3600 * sim::kSecond;
  const sim::Ticks starting = std::min(sim::ticks_of(start), kHourTicks - 1);
  std::vector<serving::Failure> absences;
  for (int replica = 0; replica < most; ++replica) {
    for (std::size_t hour = 0; hour < hours;) {
      std::size_t end = hour;
      while (end < hours && table[end % table.size()] <= replica) ++end;
      if (end > hour)
        absences.push_back({static_cast<sim::Ticks>(hour) * kHourTicks, replica,
                            static_cast<sim::Ticks>(end - hour) * kHourTicks + starting});
      hour = end + 1;
    }
  }
  std::sort(absences.begin(), absences.end(), [](const auto& a, const auto& b) {
    return std::pair(a.time, a.replica) < std::pair(b.time, b.replica);
  });
  return absences;
}

}  // namespace

std::optional<FleetRun> timed_fleet(const SizingProblem& problem, const SizedDeployment& deployment,
                                    const HardWeek& week, const std::vector<int>& by_hour) {
  if (deployment.prompts || by_hour.empty()) return std::nullopt;
  constexpr std::int64_t kNoneKept = 0;
  RecordedWeeks recorded(problem, kNoneKept);
  if (week.tape != nullptr) recorded.keep(week.seed, week.seconds, week.tape);
  const SimulatedFleet fleet(problem, deployment);
  const double seconds = simulated_seconds(problem, fleet);
  const RecordedWeeks::Tape tape = recorded.week(week.seed, seconds);
  FleetQuestion ask = ask_of(problem, deployment, seconds);
  ask.tape = tape.get();
  const int copies = deployment.plan.choice.layout.dp;
  const auto table = timetable_of(problem, seconds, by_hour, copies);
  ask.replicas = *std::max_element(table.begin(), table.end()) / copies;
  ask.outages = absences_of(table, seconds > 0 ? seconds : kLongestRecord.base(),
                            Seconds::from_base(problem.cold_start));
  return fleet.run(ask);
}

}  // namespace loadfactor::search
