// Gang-hours of training runs, GPUs that others have reserved, and when work that may wait is due.
#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "engine/fleet/fleet_needs.h"
#include "resolve/demand/demand.h"

namespace loadfactor::engine {
namespace {

// A planned stop writes a checkpoint, and the next start reads it: what is lost then.
EstimateOf<Seconds> restart_of(const FleetWorld& world, const config::Scenario& scenario) {
  const auto& failures = scenario.train->failures;
  if (failures.restart)
    return EstimateOf<Seconds>::exact(failures.restart->value, Basis::kAssumed, "scenario");
  for (const auto& fact : world.engine->catalog().facility())
    if (fact.name == "spot_loss" && fact.variant == "checkpoint-and-restart") {
      // Nothing since the last checkpoint is lost.
      const Seconds least = kHour * fact.low.value_or(fact.value);
      return {least, least, kHour * fact.value, Basis::kAssumed, "facility"};
    }
  return {};
}

// GPUs that a run may be given: as written, else doubling from one up to what there can be.
std::vector<int> sizes_of(const config::FleetWorkload& asked, const config::Scenario& scenario,
                          int most) {
  if (asked.gpus) return {static_cast<int>(asked.gpus->value)};
  const auto& layout = scenario.train->layout;
  if (layout && layout->gpus) return {layout->gpus->value};
  std::vector<int> sizes;
  for (int gpus = 1; gpus <= most; gpus *= 2) sizes.push_back(gpus);
  return sizes;
}

std::optional<TrainAnswer> best_run(const FleetWorld& world, const config::Scenario& scenario,
                                    const FleetWork& work, int gpus, Diagnostics& diagnostics) {
  SearchInputs inputs;
  inputs.train.scenario = scenario;
  inputs.train.model_files = work.model_files;
  inputs.objective = Objective::kTime;
  inputs.gpus = {gpus};
  inputs.keep = 1;
  inputs.threads = world.inputs->threads;
  inputs.stop = world.inputs->stop;
  auto found = world.engine->search(inputs, diagnostics);
  if (!found || found->plans.empty()) return std::nullopt;
  return std::move(found->plans.front().train);
}

FleetNeed need_of(const FleetWorld& world, const config::Scenario& scenario,
                  const TrainAnswer& run) {
  FleetNeed need;
  need.gang = run.layout.gpus;
  need.work = run.duration->value() / kHour;
  need.useful = run.paid_share();
  if (run.whole) need.of_useful = spread_of(run.whole->share);
  need.reload = {restart_of(world, scenario),
                 EstimateOf<Seconds>::exact(run.goodput ? run.goodput->stall : Seconds(),
                                            Basis::kModelled, "reliability")};
  need.layout = fmt::format("{} × {} tp {} pp {} dp {}", run.layout.gpus, run.accelerator,
                            run.layout.tp, run.layout.pp, run.layout.dp);
  return need;
}

Error does_not_end(const FleetWorld& world, const config::FleetWorkload& asked,
                   const std::string& accelerator) {
  return world.inputs->fleet.error(
      lf::kNoPlan, asked.name.position,
      fmt::format("'{}' cannot be trained on {} within its time", asked.name.value, accelerator),
      "give it more GPUs ('gpus'), a later 'deadline' or another pool");
}

// The hour of the week in which a table of jobs begins.
std::size_t first_hour(const demand::JobTrace& trace, demand::Nanoseconds start) {
  if (!trace.has_calendar) return 0;
  constexpr std::int64_t kNanosecondsPerHour = 3'600'000'000'000;
  constexpr std::int64_t kEpoch = 3 * 24;  // 1970 began on a Thursday.
  constexpr auto kWeek = static_cast<std::int64_t>(kWeekHours);
  const std::int64_t hours = (trace.origin + start) / kNanosecondsPerHour;
  return static_cast<std::size_t>(((hours + kEpoch) % kWeek + kWeek) % kWeek);
}

// The least time that one coming of a job takes, on any pool.
double least_hours(const std::vector<std::optional<FleetNeed>>& needs) {
  double least = 1e18;
  for (const auto& need : needs)
    if (need) least = std::min(least, need->work / kMostGangs);
  return least;
}

// Whether batches of a workload that comes again come as often in every week.
bool comes_evenly(const config::FleetWorkload& asked) {
  if (!asked.every) return true;
  const double comings = kWeek / asked.every->value;
  return std::abs(comings - std::round(comings)) < 1e-9;
}

}  // namespace

std::optional<FleetNeed> run_need(const FleetWorld& world, std::size_t workload,
                                  const std::string& accelerator, int most_gpus,
                                  Diagnostics& diagnostics) {
  const config::FleetWorkload& asked = world.inputs->fleet.workloads[workload];
  const FleetWork& work = world.inputs->works[workload];
  const config::Scenario scenario =
      work.scenario->with({{"hardware", std::vector<std::string>{accelerator}}, {"limits.gpus"}});
  const auto windows = windows_of(asked, config::FleetHorizon::kYear);
  std::optional<FleetNeed> longest;
  for (const int gpus : sizes_of(asked, scenario, most_gpus)) {
    Diagnostics found;
    const auto run = best_run(world, scenario, work, gpus, found);
    if (!run || !run->duration) {
      if (asked.gpus || !found.empty()) diagnostics.add_all(found);
      if (!found.empty() && asked.gpus) return std::nullopt;
      continue;
    }
    longest = need_of(world, scenario, *run);
    const double needed = longest->work + longest->reload.all() / kHour;
    if (!windows.empty() && needed <= windows.front().length()) {
      diagnostics = {};
      return longest;
    }
  }
  if (diagnostics.empty()) diagnostics.add(does_not_end(world, asked, accelerator));
  return std::nullopt;
}

std::optional<FleetNeed> reserved_need(const FleetWorld& world, std::size_t workload,
                                       Diagnostics& diagnostics) {
  const config::FleetWorkload& asked = world.inputs->fleet.workloads[workload];
  FleetNeed need;
  if (asked.gpus) {
    need.week.assign(kWeekHours, static_cast<int>(asked.gpus->value));
    return need;
  }
  DemandQuestion question;
  question.files.push_back({asked.jobs->value, world.inputs->works[workload].jobs_bytes});
  const auto read = describe_demand(question);
  if (!read) {
    diagnostics.add(read.error());
    return std::nullopt;
  }
  const auto* trace = std::get_if<demand::JobTrace>(&read->data);
  if (trace == nullptr || !read->cluster || trace->jobs.empty()) {
    diagnostics.add(world.inputs->fleet.error(
        lf::kNothingToFill, asked.jobs->position,
        fmt::format("'{}' holds no jobs", asked.jobs->value),
        "a table with submit_time, start, end and gpus, such as of 'sacct --parsable2'"));
    return std::nullopt;
  }
  demand::Nanoseconds start = trace->jobs.front().start;
  for (const demand::Job& job : trace->jobs) start = std::min(start, job.start);
  const std::size_t first = first_hour(*trace, start);
  need.week.assign(kWeekHours, 0);
  double held = 0;
  for (std::size_t hour = 0; hour < read->cluster->series.size(); ++hour) {
    int& gpus = need.week[(first + hour) % kWeekHours];
    gpus = std::max(gpus, static_cast<int>(std::ceil(read->cluster->series[hour] - 1e-9)));
    held += read->cluster->series[hour];
  }
  double kept = 0;
  for (const int gpus : need.week) kept += gpus;
  const double weeks =
      std::max(1.0, static_cast<double>(read->cluster->series.size()) / kWeekHours);
  need.useful = kept > 0 ? std::min(1.0, held / weeks / kept) : 0.0;
  return need;
}

bool may_wait(config::WorkloadKind kind) {
  return kind != config::WorkloadKind::kOnline && kind != config::WorkloadKind::kReserved;
}

const config::FleetWorkload* beyond_a_week(
    const config::Fleet& fleet, const std::vector<std::vector<std::optional<FleetNeed>>>& needs) {
  for (std::size_t i = 0; i < fleet.workloads.size(); ++i) {
    const config::FleetWorkload& asked = fleet.workloads[i];
    if (!may_wait(asked.kind)) continue;
    const bool is_late = (asked.deadline && asked.deadline->value > kWeek) ||
                         (asked.earliest && asked.earliest->value >= kWeek - kHour) ||
                         (asked.every && asked.every->value > kWeek);
    const bool is_batch = asked.kind == config::WorkloadKind::kBatch;
    // A batch that is due in time is spread over as many GPUs as that takes.
    const bool is_due = is_batch && (asked.deadline || asked.every);
    const double hours = least_hours(needs[i]) * (is_batch ? 1 : kMostGangs);
    if (is_late || !comes_evenly(asked) || (!is_due && hours > kWeek / kHour)) return &asked;
  }
  return nullptr;
}

double horizon_hours(config::FleetHorizon horizon) {
  return horizon == config::FleetHorizon::kWeek ? kWeek / kHour : kYear / kHour;
}

std::vector<JobWindow> windows_of(const config::FleetWorkload& workload,
                                  config::FleetHorizon horizon) {
  const double end = horizon_hours(horizon);
  const double period = workload.every ? std::min(end, workload.every->value / kHour) : end;
  const double earliest = workload.earliest ? workload.earliest->value / kHour : 0;
  const double deadline =
      workload.deadline ? workload.deadline->value / kHour : std::max(period, earliest + 1);
  std::vector<JobWindow> windows;
  for (double start = 0; start + 1 <= end; start += period) {
    JobWindow window{start + earliest, start + deadline};
    // The last of a week would end in the next one, which is like this one: it is moved up.
    const double beyond = std::max(0.0, window.to - end);
    window.from = std::max(0.0, window.from - (workload.every ? beyond : 0.0));
    window.to -= beyond;
    if (window.length() >= 1) windows.push_back(window);
    if (!workload.every) break;
  }
  return windows;
}

}  // namespace loadfactor::engine
