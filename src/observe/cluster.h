// A cluster over a window of time, as samples tell it: what each GPU did, to whom it belonged, and
// what each replica of a service delivered.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "observe/cluster_records.h"
#include "observe/sample.h"
#include "observe/signal.h"

namespace loadfactor::observe {

// The window in equal slots. Times are seconds since 1970.
struct Grid {
  double from = 0;
  double to = 0;
  double step = 60;

  int slots() const;
  // Negative outside of the window.
  int slot_of(double time) const;
  double time_of(int slot) const { return from + step * slot; }
};
// A window of at most this many slots of a round length; `most` bounds slots times GPUs.
Grid make_grid(double from, double to, double least_step = 1);

inline constexpr std::uint16_t kNoOwner = 0;

// Somebody that holds GPUs: a pod, or a job of a batch system.
struct Owner {
  std::string key;
  std::string team;  // Namespace or account.
  std::string pod;
  std::string name;  // The workload's: what all its pods share.
  bool is_failed = false;
  bool is_service = false;
  std::optional<double> busy;  // Mean use, where a batch system collected it.
  int workload = -1;
  int replica = -1;
};

// A number in sixteen bits, in steps of a ten-thousandth; the largest stands for none.
using Share16 = std::uint16_t;
inline constexpr Share16 kNoShare = 0xFFFF;
inline constexpr double kShareStep = 1e-4;
// Until all is told, what is no ratio stands above this: it may be a percentage.
inline constexpr Share16 kPercentMark = 20000;
inline constexpr std::uint8_t kNoByte = 0xFF;
inline constexpr double kWattStep = 8;
inline constexpr double kMegahertzStep = 16;

struct GpuFaults {
  std::vector<int> xids;
  double ecc = 0;
  double remapped_rows = 0;
  bool remap_failure = false;
  double nvlink_errors = 0;
  double thermal_seconds = 0;
  double power_seconds = 0;
};

struct GpuTrack {
  std::string key;
  std::string node;
  std::string index;
  std::string model;
  std::string instance;  // The exporter's.
  double weight = 1;     // Share of a whole GPU: below 1 for an instance of MIG.
  std::vector<Share16> busy, tensor, dram;
  std::vector<std::uint8_t> power, clock;
  std::vector<std::uint16_t> owner;
  std::array<int, 5> best{-1, -1, -1, -1, -1};  // The signal believed, by role.
  GpuFaults faults;
  int first = -1;  // Slots between which it was seen at all,
  int last = -1;
  int paid_from = 0;  // and between which it is paid: [from, to).
  int paid_to = 0;

  bool has_activity(int slot) const;
  bool is_known(int slot) const;
  bool is_ever_known() const { return !busy.empty() || !tensor.empty() || !dram.empty(); }
};

struct ReplicaTrack {
  std::string key;
  std::string team, pod, instance, model, engine;
  std::vector<float> tokens_in, tokens_out, requests;  // Increases in each slot.
  std::vector<float> running, waiting, cache;          // Negative: not known.
  double prefix_hits = 0, prefix_queries = 0, preemptions = 0;
  std::map<double, double> first_token, next_token, queue;  // Counts up to a bound.
  int owner = -1;
};

// What a cluster was not told.
struct Gaps {
  std::size_t late_samples = 0;    // Outside of the window.
  std::size_t absent_samples = 0;  // NaN, infinities and the marks of absent sensors.
  std::size_t duplicates = 0;      // Series that tell what another one told.
};

class Cluster final : public SampleSink {
 public:
  explicit Cluster(Grid grid) : grid_(grid) { owners_.emplace_back(); }

  int series(std::string_view metric, const Labels& labels) override;
  void sample(int series, double time, double value) override;
  void add_jobs(std::vector<JobRecord> jobs);
  void add_nodes(std::vector<NodeRecord> nodes);
  // Joins what was told; nothing is added after it.
  void finish();

  const Grid& grid() const { return grid_; }
  const std::vector<GpuTrack>& gpus() const { return gpus_; }
  const std::vector<ReplicaTrack>& replicas() const { return replicas_; }
  const std::vector<Owner>& owners() const { return owners_; }
  const std::vector<JobRecord>& jobs() const { return jobs_; }
  const Gaps& gaps() const { return gaps_; }
  // When the window begins to be told of: a server may be younger than the window.
  double told_from() const { return told_from_; }
  double told_seconds() const { return grid_.to - told_from_; }
  // Whether a list of nodes is all that tells how many GPUs are held.
  bool is_held_by_nodes() const { return is_held_by_nodes_; }
  // Whether anything says to whom GPUs belong.
  bool knows_owners() const { return knows_owners_; }
  // Whether anything says what a GPU did, or who held it.
  bool tells_of_use() const;
  // Whether anything besides a batch system tells of a GPU.
  bool has_gpu_metrics() const;
  bool has_role(Role role) const { return seen_[static_cast<std::size_t>(role)] > 0; }

 private:
  struct SeriesState {
    const Signal* signal = nullptr;
    int entity = -1;  // A GPU or a replica.
    std::uint16_t owner = kNoOwner;
    int cover = -1;  // What covers a counter.
    double time = 0;
    double value = 0;
    bool has_value = false;
    double bound = 0;  // Where a bucket ends.
    std::vector<float>* gauge = nullptr;
    std::string pod;
  };
  struct PodFacts {
    std::string controller;
    std::string team;
    bool is_failed = false;
  };
  struct Presence {
    double first = 0;
    double last = 0;
  };

  int find_gpu(const Labels& labels);
  int find_replica(const Signal& signal, const Labels& labels);
  std::uint16_t find_owner(const Labels& labels);
  std::uint16_t owner_of_key(const std::string& key, std::string_view team, std::string_view pod);
  void add_gpu_sample(SeriesState& series, int slot, double value);
  // A GPU is there, and whose it is, whatever its sensors tell.
  void see_gpu(const SeriesState& series, int slot);
  void add_counter(SeriesState& series, double time, double value);
  void add_increase(const SeriesState& series, double from, double to, double increase);
  void add_fact(SeriesState& series, double time, double value);
  void add_gauge(SeriesState& series, int slot, double value);
  std::vector<float>* gauge_of(Role role, int replica, const Labels& labels);
  int cover_of(const std::string& key);

  void rescale_ratios();
  void rescale_percents();
  void hold_samples();
  void give_to_jobs();
  void give_job(const JobRecord& job, std::uint16_t owner, std::uint16_t whole);
  // Whether it ran in the window, on nodes that are named.
  bool is_inside(const JobRecord& job) const {
    return !job.nodes.empty() && job.end > grid_.from && job.start < grid_.to;
  }
  void give_by_nodes();
  void place_on_the_only_node();
  void add_silent_gpus();
  // Nodes that jobs alone tell of, each with the most GPUs that were held there at once.
  std::vector<NodeRecord> nodes_of_jobs() const;
  bool are_gpus_placed() const;
  void join_services();
  void name_workloads();
  void bound_payment();
  void bound_window();
  void sum_gauges();

  Grid grid_;
  SignalTable signals_;
  std::vector<GpuTrack> gpus_;
  std::vector<ReplicaTrack> replicas_;
  std::vector<Owner> owners_;
  std::vector<JobRecord> jobs_;
  std::vector<NodeRecord> nodes_;
  std::vector<SeriesState> states_;
  std::unordered_map<std::string, int> series_by_key_;
  std::unordered_map<std::string, int> gpu_by_key_;
  std::unordered_map<std::string, int> replica_by_key_;
  std::unordered_map<std::string, std::uint16_t> owner_by_key_;
  std::unordered_map<std::string, PodFacts> pods_;
  std::unordered_map<std::string, Presence> presence_;  // When targets and nodes were there.
  std::unordered_map<std::string, int> cover_by_key_;
  std::vector<double> covered_;  // Up to which time a counter has been told.
  // Gauges of one replica by its parts, which are added up.
  std::map<std::pair<int, Role>, std::map<std::string, std::vector<float>>> parts_;
  std::unordered_map<const Signal*, double> largest_;  // The largest of percentages, as they came.
  struct RatioCount {
    std::size_t all = 0;
    std::size_t above = 0;  // More than a ratio can be.
  };
  std::unordered_map<const Signal*, RatioCount> ratio_counts_;
  std::array<std::size_t, 32> seen_{};
  Gaps gaps_;
  bool knows_owners_ = false;
  bool is_held_by_nodes_ = false;
  double told_from_ = 0;
};

// `chat-7d9f8b6c5-x2x9k` and `train-0` belong to `chat` and `train`.
std::string workload_of_pod(std::string_view pod);

}  // namespace loadfactor::observe
