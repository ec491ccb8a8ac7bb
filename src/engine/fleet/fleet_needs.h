// What each workload needs on each pool, from the same service and run that every other verb
// resolves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/fleet.h"
#include "fleet/problem.h"
#include "resolve/serve/service.h"
#include "resolve/serve/users_way.h"

namespace loadfactor::engine {

inline constexpr std::size_t kWeekHours = 168;

// A workload on one chip, as numbers of the week or of single jobs.
struct FleetNeed {
  std::vector<int> week;       // GPUs by hour of the week; empty for jobs.
  int replica = 1;             // GPUs of one replica, which lie in one machine; of a service.
  int gang = 0;                // GPUs of a job that work together,
  double work = 0;             // hours of one such gang for one coming of it,
  int most = 1;                // and gangs at once.
  double useful = 1;           // Work done over what its GPU-hours could do,
  FleetSpread of_useful = {};  // and how sure that is.
  FleetReload reload;
  std::string layout;                   // In words.
  std::optional<DollarsPerSecond> api;  // What tokens would cost on average.
  std::optional<double> within_slo;
  FleetSpread of_within = {};
  std::optional<bool> keeps_slo;
  std::int64_t requests = 0;
  std::optional<WayToUsers> way;  // Taken off its bounds; nothing where it is not said.
};

inline FleetSpread spread_of(const EstimateOf<double>& figure) {
  if (figure.value() <= 0) return {};
  return {figure.low() / figure.value(), figure.high() / figure.value()};
}

// Where a workload may run.
struct FleetSite {
  std::string accelerator;
  std::string pool;                            // As the fleet calls it.
  const catalog::RegionSpec* place = nullptr;  // Nothing where it is not said.
};

// What questions about many workloads have in common.
struct FleetWorld {
  const Core* engine = nullptr;
  const FleetInputs* inputs = nullptr;
  std::shared_ptr<ServingModels> models;
};

// Nothing, and the reasons, where it cannot run there.
std::optional<FleetNeed> service_need(const FleetWorld& world, std::size_t workload,
                                      const FleetSite& site, Diagnostics& diagnostics);
std::optional<FleetNeed> batch_need(const FleetWorld& world, std::size_t workload,
                                    const std::string& accelerator, Diagnostics& diagnostics);
std::optional<FleetNeed> run_need(const FleetWorld& world, std::size_t workload,
                                  const std::string& accelerator, int most_gpus,
                                  Diagnostics& diagnostics);
std::optional<FleetNeed> reserved_need(const FleetWorld& world, std::size_t workload,
                                       Diagnostics& diagnostics);

// Hours in which one coming of a job must be done.
struct JobWindow {
  double from = 0;
  double to = 0;
  double length() const { return to - from; }
};
inline constexpr int kMostGangs = 4;  // Gangs of one job at once; wider ones stand for more.

bool may_wait(config::WorkloadKind kind);
double horizon_hours(config::FleetHorizon horizon);
// The first workload that a week is too short for, or that does not come alike in every week;
// nullptr where there is none. The needs are by workload and pool.
const config::FleetWorkload* beyond_a_week(
    const config::Fleet& fleet, const std::vector<std::vector<std::optional<FleetNeed>>>& needs);
// All comings of a workload that may wait, within the horizon.
std::vector<JobWindow> windows_of(const config::FleetWorkload& workload,
                                  config::FleetHorizon horizon);

}  // namespace loadfactor::engine
