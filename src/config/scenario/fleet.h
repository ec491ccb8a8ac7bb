/// A fleet as it was written: pools of GPUs, and the workloads that want them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/origin.h"
#include "loadfactor/quantity.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

/// Machines that look alike.
struct FleetPool {
  Name name;
  Name accelerator;
  Given<std::string> region;  ///< Where they stand; else where the money of the fleet says.
  Given<std::int64_t> gpus;   ///< The most that there can be at once.
  bool is_shared = true;      ///< Otherwise each workload has machines of its own.
};

enum class WorkloadKind : std::uint8_t { kOnline, kBatch, kTraining, kFineTuning, kReserved };
/// `online`, `batch`, `training`, `fine-tuning`, `reserved`.
std::string_view name_of(WorkloadKind kind);

/// How the hours of a fleet repeat.
enum class FleetHorizon : std::uint8_t {
  kWeek,  ///< Every week is like the one that is planned.
  kYear,  ///< A year, in which work that is not repeated comes once.
};

struct FleetWorkload {
  Name name;
  WorkloadKind kind = WorkloadKind::kOnline;
  Position position;
  /// What is served or trained, with the money of the fleet; nothing for reserved GPUs, and where
  /// a file is named. The demand of a batch is its items, spread over their period.
  std::optional<Scenario> scenario;
  Given<std::string> file;     ///< A scenario in a file of its own.
  Given<std::string> jobs;     ///< Reserved: jobs that others ran, as a table.
  Given<std::int64_t> gpus;    ///< Reserved all the time; of a run, that work together.
  double items = 0;            ///< Items of a batch,
  Given<Seconds> every;        ///< that come again so often; once unless said.
  Given<Seconds> earliest;     ///< From the start of the horizon, or of each period.
  Given<Seconds> deadline;     ///< The same.
  Given<bool> is_preemptible;  ///< By its kind unless said.
  Given<std::int64_t> priority;
  std::vector<Name> pools;        ///< That it may run on; empty: any.
  Given<DollarsPerSecond> value;  ///< Lost where it does not run: over time,
  Given<Dollars> worth;           ///< or once.
  bool may_use_api = true;        ///< Where somebody sells the model.
};

struct Fleet {
  Name name;
  std::optional<FleetHorizon> horizon;  ///< A week unless some work needs longer.
  std::vector<FleetPool> pools;
  std::vector<FleetWorkload> workloads;
  Money money;
  std::shared_ptr<const ScenarioSource> source;

  const std::string& file() const { return source->file; }
  /// An error that points at a value, with its source line.
  Error error(int code, Position at, std::string message, std::string hint = {}) const;
};

inline constexpr std::int64_t kUsualPriority = 50;
inline constexpr std::size_t kMostWorkloads = 16;

/// A file that the fleet names: a scenario, jobs, or what one of its workloads reads.
struct FleetFile {
  Name name;
  bool is_model = false;
  bool is_scenario = false;
};

}  // namespace loadfactor::config
