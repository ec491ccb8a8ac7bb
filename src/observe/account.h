// Where the paid GPU time of a cluster went: every second is work delivered or one of the losses.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "observe/cause_seconds.h"
#include "observe/cluster.h"
#include "observe/service_load.h"
#include "observe/thresholds.h"

namespace loadfactor::observe {

// Pods or jobs of a workload that each were idle for most of their time, in GPU-seconds.
struct IdleOwners {
  double held = 0;
  double idle = 0;
  // GPUs that they hold: those that hold them when the window ends, and have for long, all of
  // theirs; others the mean over the window.
  double gpus = 0;
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
  bool is_guessed = false;    // Whether some of its GPUs may be those of another job.
  bool is_busy_only = false;  // Whether of some of its work only is known that a kernel ran.
  std::string busy_counter;   // The metric that tells so.
  CauseSeconds use;
  SeenSeconds seen;           // Time of those of its GPUs that are seen at all.
  double active_seconds = 0;  // GPU time with work.
  SensorMean busy, tensor, dram;
  double saturation = 0;         // Activity of its full hours, of tensor cores or of memory,
  bool is_full_guessed = false;  // where it worked for too few hours to have had a full one.
  double mean_gpus = 0;
  double held_seconds = 0;      // How long it held any GPU, in blocks of time,
  bool holds_at_end = false;    // and whether it does when the window ends.
  IdleOwners idle_owners;       // All of them,
  IdleOwners idle_to_give;      // and those that hold GPUs at the end, or held them for long.
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

// The most GPUs of one kind in any slot, and the machines that they stand in. What one cluster has
// free is of no use to another, nor is one kind to those that want another.
struct KindPeak {
  std::string cluster;  // Empty where one alone is told of.
  std::string kind;
  double paid = 0;
  double held = 0;
  std::map<std::string, double> nodes;  // GPUs by node.
};

struct Account {
  std::vector<WorkloadUse> uses;  // In the order of workloads, nobody's last.
  CauseSeconds all;
  double known_seconds = 0;              // GPU time that samples tell of,
  double unseen_seconds = 0;             // and that of GPUs of which none ever tells.
  std::array<double, 168> week_load{};   // By hour of the week, Monday 0 h UTC first.
  std::array<double, 168> week_known{};  // What samples tell of each.
  HourUse now;
  std::vector<KindPeak> peaks;  // By cluster and kind of GPU.
  double gpus = 0;              // Paid on average.
  bool load_is_busy = false;    // Only that a kernel runs is known of some work,
  double busy_gpus = 0;         // on so many GPUs.
};

// What was seen of the time of GPUs that are seen at all.
double seen_share(const Account& account);
double seen_share(const HourUse& hour);

struct AccountRules {
  double pause_seconds = Thresholds()["pause_seconds"];        // The longest stop that is a pause.
  double start_up_seconds = Thresholds()["start_up_seconds"];  // The longest start.
  double checkpoint_seconds = 0;  // Between checkpoints; 0: a failed job loses all its work.
};

Account make_account(const Cluster& cluster, const FullRate& full_rate, const AccountRules& rules);

}  // namespace loadfactor::observe
