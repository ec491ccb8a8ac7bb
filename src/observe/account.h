// Where the paid GPU time of a cluster went: every second is work delivered or one of the losses.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "observe/cluster.h"
#include "observe/thresholds.h"

namespace loadfactor::observe {

enum class Loss : std::uint8_t { kLoad, kUnallocated, kIdle, kWaiting, kUnsaturated, kFailed };
inline constexpr std::size_t kLosses = 6;

// The leaves of the tree of losses.
enum class Cause : std::uint8_t {
  kLoad,
  kHeldUnseen,  // Held, and nothing tells what it does: taken to be load.
  kUnallocated,
  kIdle,         // Held, and nothing runs for longer than a pause.
  kStartUp,      // Before a workload first computes.
  kPause,        // Short stops between work: checkpoints, data.
  kSpinning,     // Kernels run and move nothing: a collective that waits.
  kFewRequests,  // A service that is asked for less than it could do.
  kCacheFull,    // Requests wait and the cache is full.
  kBatchLimit,   // Requests wait and the cache is not.
  kBelowBest,    // Work, below what the same workload reaches in its full hours.
  kFailed,
};
inline constexpr std::size_t kCauses = 12;
Loss loss_of(Cause cause);

// Seconds of GPUs by cause.
struct CauseSeconds {
  std::array<double, kCauses> seconds{};

  double& operator[](Cause cause) { return seconds[static_cast<std::size_t>(cause)]; }
  double operator[](Cause cause) const { return seconds[static_cast<std::size_t>(cause)]; }
  double total() const;
  double of(Loss loss) const;
  CauseSeconds& operator+=(const CauseSeconds& other);
  CauseSeconds scaled(double factor) const;
};

// What one sensor showed while GPUs worked.
struct SensorMean {
  double sum = 0;        // Shares times seconds,
  double seconds = 0;    // over the time with work that it told of.
  bool is_seen = false;  // Whether it told anything at all, be it of time without work.

  // Nothing where it told nothing.
  std::optional<double> mean() const;
  void add(double share, double of_seconds);
  SensorMean& operator+=(const SensorMean& other);
  SensorMean scaled(double factor) const { return {sum * factor, seconds * factor, is_seen}; }
};

// What one workload did on GPUs of one kind.
struct WorkloadUse {
  int workload = -1;  // −1: nobody's.
  std::string team;
  std::string name;
  std::string model;  // Served, where it is a service.
  std::string engine;
  std::string accelerator;  // As exporters call it.
  bool is_service = false;
  bool is_guessed = false;  // Whether some of its GPUs may be those of another job.
  CauseSeconds use;
  double active_seconds = 0;  // GPU time with work.
  SensorMean busy, tensor, dram;
  double saturation = 0;  // Activity of its full hours, of tensor cores or of memory.
  double mean_gpus = 0;
  std::vector<double> held;     // GPUs by block of time,
  std::vector<double> working;  // and those of them that computed.
};

// What GPUs did in the last hour of the window, by their kinds.
struct HourUse {
  std::map<std::string, CauseSeconds> kinds;
  double paid_seconds = 0;
  double known_seconds = 0;   // What of it samples tell of,
  double unseen_seconds = 0;  // and what is of GPUs of which none ever tells.
  bool load_is_busy = false;
};

// The most GPUs of one kind in any slot, and the machines that they stand in.
struct KindPeak {
  double paid = 0;
  double held = 0;
  std::map<std::string, double> nodes;  // GPUs by node.
};

struct Account {
  std::vector<WorkloadUse> uses;  // In the order of workloads, nobody's last.
  CauseSeconds all;
  double known_seconds = 0;             // GPU time that samples tell of,
  double unseen_seconds = 0;            // and that of GPUs of which none ever tells.
  std::array<double, 168> week_load{};  // By hour of the week, Monday 0 h UTC first.
  std::array<double, 168> week_paid{};
  HourUse now;
  std::map<std::string, KindPeak> peaks;  // By kind of GPU.
  double gpus = 0;                        // Paid on average.
  bool load_is_busy = false;              // Only that a kernel runs is known of some work,
  double busy_gpus = 0;                   // on so many GPUs.
};

// What was seen of the time of GPUs that are seen at all.
double seen_share(const Account& account);
double seen_share(const HourUse& hour);

// What a replica of a service does when it is full, in tokens per second, in and out; nothing where
// no scenario says it.
using FullRate = std::function<std::optional<double>(const ReplicaTrack& replica)>;

struct AccountRules {
  double pause_seconds = Thresholds()["pause_seconds"];        // The longest stop that is a pause.
  double start_up_seconds = Thresholds()["start_up_seconds"];  // The longest start.
  double checkpoint_seconds = 0;  // Between checkpoints; 0: a failed job loses all its work.
};

Account make_account(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules);

// Tokens per second of a replica in its fullest tenth of an hour: at least so many it can do.
double best_rate(const ReplicaTrack& replica, const Grid& grid);

// Whether a GPU computes in a slot; nothing is known where `is_known` says no.
bool is_active(const GpuTrack& gpu, int slot);

}  // namespace loadfactor::observe
