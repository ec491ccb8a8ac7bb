#include "demand/describe/cluster_use.h"

#include <algorithm>
#include <map>

#include "base/calendar.h"
#include "demand/describe/week_hours.h"

namespace loadfactor::demand {
namespace {

// Walks the changes of the number of allocated GPUs and fills the hours between them.
void add_allocation(const JobTrace& trace, Nanoseconds first, ClusterUse& use) {
  std::map<Nanoseconds, std::int64_t> changes;
  for (const auto& job : trace.jobs) {
    changes[job.start] += job.gpus;
    changes[job.end] -= job.gpus;
  }
  std::int64_t allocated = 0;
  Nanoseconds from = first;
  for (const auto& [at, change] : changes) {
    while (from < at) {
      const Nanoseconds until =
          std::min(at, ((from - first) / kNanosecondsPerHour + 1) * kNanosecondsPerHour + first);
      const auto index = static_cast<std::size_t>((from - first) / kNanosecondsPerHour);
      if (index >= use.series.size()) use.series.resize(index + 1, 0.0);
      use.series[index] += static_cast<double>(allocated) * in_seconds(until - from) / kHour.base();
      from = until;
    }
    allocated += change;
    use.peak_gpus = std::max(use.peak_gpus, allocated);
  }
}

WeekProfile week_of(const JobTrace& trace, Nanoseconds first, const std::vector<double>& series) {
  WeekProfile week{.has_calendar = trace.has_calendar};
  std::array<double, kHoursOfWeek> sum{};
  std::array<int, kHoursOfWeek> hours{};
  const std::int64_t offset =
      trace.has_calendar ? (trace.origin + first) / kNanosecondsPerHour + kHoursFromMonday : 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::int64_t hour = (offset + static_cast<std::int64_t>(i)) % kHoursOfWeek;
    const auto at = static_cast<std::size_t>(hour < 0 ? hour + kHoursOfWeek : hour);
    sum[at] += series[i];
    ++hours[at];
  }
  for (std::size_t i = 0; i < sum.size(); ++i)
    week.rate[i / 24][i % 24] = hours[i] > 0 ? sum[i] / hours[i] : -1;
  return week;
}

}  // namespace

ClusterUse measure_cluster_use(const JobTrace& trace) {
  ClusterUse use;
  if (trace.jobs.empty()) return use;
  use.jobs = static_cast<std::int64_t>(trace.jobs.size());
  Nanoseconds first = trace.jobs.front().start;
  Nanoseconds last = first;
  std::int64_t succeeded = 0;
  std::vector<Nanoseconds> waits;
  for (const auto& job : trace.jobs) {
    first = std::min(first, job.start);
    last = std::max(last, job.end);
    const double work = static_cast<double>(job.gpus) * in_seconds(job.end - job.start);
    use.gpu_seconds += work;
    const bool is_known = trace.knows_state && job.is_over;
    use.open_jobs += is_known ? 0 : 1;
    if (!is_known)
      use.open_gpu_seconds += work;
    else if (job.succeeded)
      use.useful_gpu_seconds += work;
    succeeded += is_known && job.succeeded ? 1 : 0;
    use.largest_job = std::max<std::int64_t>(use.largest_job, job.gpus);
    waits.push_back(job.start - job.submit);
  }
  use.span = Seconds::from_base(in_seconds(last - first));
  const auto over = static_cast<double>(std::max<std::int64_t>(1, use.jobs - use.open_jobs));
  use.succeeded_share = static_cast<double>(succeeded) / over;
  std::sort(waits.begin(), waits.end());
  use.median_wait = Seconds::from_base(in_seconds(waits[waits.size() / 2]));
  use.p95_wait = Seconds::from_base(in_seconds(waits[waits.size() * 95 / 100]));
  if (use.span > Seconds()) use.mean_gpus = use.gpu_seconds / use.span.base();
  add_allocation(trace, first, use);
  use.week = week_of(trace, first, use.series);
  return use;
}

}  // namespace loadfactor::demand
