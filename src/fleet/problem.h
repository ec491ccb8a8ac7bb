// Several workloads on pools of GPUs, as numbers: who needs how many GPUs when, and what GPUs cost.
//
// Time is cut into slots. A workload needs so many GPUs in each slot, or it is jobs: gangs of GPUs
// that must work for so long within a window. Gangs and machines are powers of two times each
// other, so that what shares a pool just adds up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/quantity.h"

namespace loadfactor::fleet {

// GPUs that are paid for all the time, in whole machines.
struct CommittedWay {
  OptionKind kind = OptionKind::kOwn;
  DollarsPerGpuSecond fixed;    // Busy or not,
  DollarsPerGpuSecond working;  // and on top while it works.
  std::optional<int> most;      // GPUs that can be had so.
};
// GPUs that are paid for by the slot.
struct HourlyWay {
  OptionKind kind = OptionKind::kOnDemand;
  DollarsPerGpuSecond price;
};

struct Pool {
  std::string name;
  int machine = 8;          // GPUs of a machine.
  int rented_by = 1;        // GPUs that are rented at once by the slot.
  std::optional<int> most;  // GPUs that there can be at once.
  bool is_shared = true;    // Otherwise each workload has machines of its own.
  std::vector<CommittedWay> committed;
  std::vector<HourlyWay> hourly;
};

// Work that may wait.
struct Job {
  int gang = 1;          // GPUs that work together.
  int most = 1;          // Gangs at once.
  double work = 0;       // Hours of one gang.
  double reload = 0;     // Hours that every start of a gang loses.
  std::size_t from = 0;  // Slots [from, to) in which it may work.
  std::size_t to = 0;
  bool is_preemptible = true;  // Otherwise one gang in one piece.
};

// What a workload asks of one pool.
struct Task {
  std::vector<int> need;  // GPUs by slot; empty where it is jobs alone.
  std::vector<Job> jobs;
};

struct Workload {
  std::string name;
  int priority = 0;                     // The higher one stays where there is no room for both.
  std::vector<std::optional<Task>> on;  // By pool; nothing where it cannot or may not run.
  std::optional<Dollars> elsewhere;     // What it costs not to run it here: an API, or its value.
};

struct Problem {
  std::vector<double> hours;  // Length of every slot.
  std::vector<Pool> pools;
  std::vector<Workload> workloads;
  std::uint64_t seed = 1;
};

// Gangs of a job that work, slot by slot of its window.
using Plan = std::vector<std::uint8_t>;

inline constexpr int kElsewhere = -1;  // Not on any pool, at the price of the workload.
inline constexpr int kNoRoom = -2;     // Not on any pool, and nothing takes its place.
inline constexpr int kAbsent = -3;     // Not asked about.

// Where every workload is, and when its jobs work.
struct Schedule {
  std::vector<int> place;                // By workload: a pool, or one of the above.
  std::vector<std::vector<Plan>> plans;  // By workload and job; empty where it is not on a pool.
};

}  // namespace loadfactor::fleet
