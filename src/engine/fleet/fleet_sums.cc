#include "engine/fleet/fleet_sums.h"

#include <algorithm>
#include <numeric>

namespace loadfactor::engine {

std::vector<int> load_of(const BuiltFleet& built, const fleet::Schedule& schedule,
                         std::size_t workload) {
  std::vector<int> load(built.problem.hours.size(), 0);
  const int place = schedule.place[workload];
  if (place < 0) return load;
  const fleet::Task& task = *built.problem.workloads[workload].on[static_cast<std::size_t>(place)];
  for (std::size_t t = 0; t < task.need.size(); ++t) load[t] += task.need[t];
  for (std::size_t j = 0; j < task.jobs.size(); ++j) {
    const fleet::Plan& plan = schedule.plans[workload][j];
    for (std::size_t t = 0; t < plan.size(); ++t)
      load[task.jobs[j].from + t] += task.jobs[j].gang * plan[t];
  }
  return load;
}

std::vector<double> by_hour_of_week(const std::vector<int>& load) {
  std::vector<double> week(kWeekHours, 0.0);
  std::vector<int> count(kWeekHours, 0);
  for (std::size_t t = 0; t < load.size(); ++t) {
    week[t % kWeekHours] += load[t];
    ++count[t % kWeekHours];
  }
  for (std::size_t h = 0; h < week.size(); ++h) week[h] /= std::max(1, count[h]);
  return week;
}

std::vector<double> by_day(const std::vector<int>& load) {
  constexpr std::size_t kDayHours = 24;
  std::vector<double> days;
  for (std::size_t t = 0; t + kDayHours <= load.size(); t += kDayHours)
    days.push_back(std::accumulate(load.begin() + static_cast<std::ptrdiff_t>(t),
                                   load.begin() + static_cast<std::ptrdiff_t>(t + kDayHours), 0.0) /
                   kDayHours);
  return days;
}

double sum_of(const std::vector<int>& load) {
  return std::accumulate(load.begin(), load.end(), 0.0);
}

}  // namespace loadfactor::engine
