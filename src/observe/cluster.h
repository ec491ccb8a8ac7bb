// A cluster over a window of time, as samples tell it: what each GPU did, to whom it belonged, and
// what each replica of a service delivered.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "observe/cluster_records.h"
#include "observe/sample.h"
#include "observe/signal.h"
#include "observe/window/grid.h"
#include "observe/window/owner_track.h"
#include "observe/window/token_looks.h"

namespace loadfactor::observe {

// Somebody that holds GPUs: a pod, or a job of a batch system.
struct Owner {
  std::string key;
  std::string cluster;  // As metrics or a batch system name it; mostly empty.
  std::string team;     // Namespace or account.
  std::string pod;
  std::string name;  // The workload's: what all its pods share.
  bool is_failed = false;
  double failed_first = 0, failed_last = 0;  // Between these times, seconds since 1970.
  bool is_service = false;
  bool is_guessed = false;     // Which GPUs of its node are its own, and they differ.
  std::optional<double> busy;  // Mean use, where a batch system collected it.
  bool is_job = false;         // A batch system runs it.
  int workload = -1;
  std::vector<std::size_t> replicas;  // That it runs, where it is a service.
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

inline constexpr int kMigSlices = 7;
// A profile of MIG by its slices of seven: `3g.40gb`, or `a100_3g.40gb` where a batch system names
// the GPU, too. The weight is 0 where the text is no profile.
struct InstanceKind {
  std::string model;
  double weight = 0;
};
InstanceKind instance_kind(std::string_view text);

struct GpuFaults {
  std::vector<int> xids;
  double ecc = 0;
  double remapped_rows = 0;
  bool remap_failure = false;
  double nvlink_errors = 0;
  double thermal_seconds = 0;
  double power_seconds = 0;
};

// What metrics called the place of a GPU, and the slots in which they did.
struct GpuPlace {
  std::string cluster, node;
  int first = -1;
  int last = -1;
};

struct GpuTrack {
  std::string key;
  std::string cluster;  // As metrics name it; mostly empty.
  std::string node;
  std::string index;
  std::string model;
  bool has_uuid = false;  // Otherwise its place is all that tells it from others.
  // Addresses of its exporter, which may be started anew elsewhere.
  std::set<std::string> instances;
  std::vector<GpuPlace> places;  // In the order in which metrics name them.
  double weight = 1;             // Share of a whole GPU,
  std::string cut_from;          // which is this one, where it is a part of one.
  bool is_uncut = false;         // The part of a GPU that no instance was made of.
  bool is_equal_part = false;    // One of as many equal parts of a card as are seen of it.
  std::vector<Share16> busy, tensor, dram;
  std::vector<std::uint8_t> power, clock;
  OwnerTrack label;                 // Owners that metrics name,
  std::vector<OwnerTrack> sharers;  // others that they name at the same time,
  OwnerTrack owner;                 // and those joined with jobs: who holds most of each slot.
  std::vector<Hold> holds;          // What jobs held of it, one after the other.
  std::array<int, 5> best{-1, -1, -1, -1, -1};  // The signal believed, by role.
  GpuFaults faults;
  int first = -1;  // Slots between which it was seen at all,
  int last = -1;
  int paid_from = 0;  // and between which it is paid: [from, to).
  int paid_to = 0;

  void set_label(int slot, OwnerIndex owner, const Grid& grid);
  bool has_activity(int slot) const;
  bool is_known(int slot) const;
  bool is_ever_known() const { return !busy.empty() || !tensor.empty() || !dram.empty(); }
  bool is_instance() const { return !cut_from.empty(); }
  const std::string& whole_key() const { return is_instance() ? cut_from : key; }
  bool is_ever_held() const { return !owner.is_empty() || !holds.empty(); }
};

// What counters of an engine tell: in a time, or since it was started.
struct EngineCounts {
  double tokens_in = 0, tokens_out = 0, requests = 0;
  double requests_else = 0;  // By a counter that stands in for that of requests.
  double prefix_hits = 0, prefix_queries = 0, preemptions = 0;
  std::map<double, double> first_token, next_token, queue;  // Counts up to a bound.
};

struct ReplicaTrack {
  std::string key;
  std::string cluster;  // As metrics name it; mostly empty.
  std::string team, pod, instance, model, engine;
  std::string process;  // What answers for it, and maybe for other copies of its model,
  std::string copy;     // of which it is this one; empty where nothing says which.
  std::vector<float> tokens_in, tokens_out, requests;  // Increases in each slot.
  std::vector<float> requests_else;
  std::vector<float> running, waiting, cache;  // Negative: not known.
  EngineCounts counts;                         // In the window,
  EngineCounts begun;                          // and when each counter was first seen.
  TokenLooks looks;                            // When its tokens were counted,
  std::vector<bool> told;                      // and the slots that samples tell of.
  int owner = -1;
  bool has_requests = false;       // Whether anything counts requests,
  bool has_requests_else = false;  // or what comes as often.
  bool has_first_rank = false;     // Every copy has one; ranks that divide its attention have not.

  // Whether any counter was seen twice: one value tells no rate.
  bool has_rates() const { return tells_tokens() || !requests.empty(); }
  // How full it is follows from tokens alone.
  bool tells_tokens() const { return !tokens_in.empty() || !tokens_out.empty(); }
  bool is_told(int slot) const { return !told.empty() && told[static_cast<std::size_t>(slot)]; }
};

// What a cluster was not told.
struct Gaps {
  std::size_t late_samples = 0;    // Outside of the window.
  std::size_t absent_samples = 0;  // NaN, infinities and the marks of absent sensors.
  std::size_t duplicates = 0;      // Series that tell what another one told.
  std::size_t restarts = 0;        // Counters that began anew, those of one program once,
  std::string first_restart;       // and whose the first are.
  std::size_t moved = 0;           // GPUs that changed their cluster,
  std::string first_moved;         // and the first of them.
  std::size_t joined = 0;          // GPUs told of without a UUID that have one elsewhere,
  std::string first_joined;        // and the place of the first.
  // Times of all samples, in the window or not, seconds since 1970; first > last: there are none.
  double first = std::numeric_limits<double>::infinity();
  double last = -std::numeric_limits<double>::infinity();
};

// Jobs of which some, or all, is in no account.
struct JobsLeftOut {
  std::size_t jobs = 0;    // On each node.
  std::string first;       // The node of the first one.
  double gpu_seconds = 0;  // Where it is known.
};

// A metric whose values are not what its name says.
struct OddScale {
  std::string metric;
  bool is_percent = false;  // A ratio by its name; otherwise a percentage that is never above 1.
  std::string ratio_name;   // How its program calls a ratio of the same; may be empty.
};

class Cluster final : public SampleSink {
 public:
  explicit Cluster(Grid grid) : grid_(grid), scales_(signals_.signals().size()) {
    owners_.emplace_back();
  }

  int series(std::string_view metric, const Labels& labels) override;
  void sample(int series, double time, double value) override;
  void add_jobs(std::vector<JobRecord> jobs);
  // A batch system tells which jobs ran, be it that none did.
  void note_job_table() { has_job_table_ = knows_owners_ = true; }
  void add_nodes(std::vector<NodeRecord> nodes);
  // Joins what was told; nothing is added after it.
  void finish();

  const Grid& grid() const { return grid_; }
  const std::vector<GpuTrack>& gpus() const { return gpus_; }
  const std::vector<ReplicaTrack>& replicas() const { return replicas_; }
  const std::vector<Owner>& owners() const { return owners_; }
  const std::vector<JobRecord>& jobs() const { return jobs_; }
  // Whether anything tells which jobs ran.
  bool tells_of_jobs() const { return has_job_table_ || !jobs_.empty(); }
  // Nodes on which one job held more GPUs than the list of nodes tells, each as listed and held.
  const std::vector<NodeRecord>& short_nodes() const { return short_nodes_; }
  // What jobs were told to hold and cannot have held: others hold every GPU of the node then.
  const JobsLeftOut& crowding() const { return crowding_; }
  // Jobs that hold shards of GPUs on nodes of which nothing says how many shards a GPU has.
  const JobsLeftOut& unknown_shards() const { return unknown_shards_; }
  // GPUs, where all instances of one count once.
  int whole_gpus() const;
  // Whether a step that was asked for is too small to hold every GPU's slots: GPUs are missing.
  bool is_too_fine() const { return is_too_fine_; }
  // Whether it ran in the window, on nodes that are named.
  bool is_inside(const JobRecord& job) const {
    return !job.nodes.empty() && job.end > grid_.from && job.start < grid_.to;
  }
  const Gaps& gaps() const { return gaps_; }
  const std::vector<OddScale>& odd_scales() const { return odd_scales_; }
  // Metrics that stand under other names than their engine's, which are not read: each with its
  // own.
  const std::map<std::string, std::string>& renamed() const { return renamed_; }
  // Whether a metric is one of these.
  void note_renamed(std::string_view metric);
  // Clusters that were renamed in the window, by their old names.
  const std::map<std::string, std::string>& renamed_clusters() const { return new_names_; }
  // Nodes that are called otherwise now, by their old names, without domains.
  const std::map<std::string, std::string>& renamed_nodes() const { return new_nodes_; }
  // Whether several clusters are told of; otherwise their names tell nothing apart.
  bool is_of_many() const { return is_of_many_; }
  // The metric that tells of a role, of several the one that is believed; empty where none does.
  std::string metric_of(Role role) const;
  // Whether a program told anything of GPUs.
  bool is_told_by(std::string_view program) const;
  // Whether a metric that only GPUs of one maker have was named, be it that its sensor is absent.
  bool is_of_nvidia() const;
  // Hosts of jobs that several clusters have, and no source says of which one.
  const std::set<std::string>& ambiguous_hosts() const { return ambiguous_hosts_; }
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
    OwnerIndex owner = kNoOwner;
    int place = -1;  // Which of the places of a GPU its labels name.
    int cover = -1;  // What covers a counter.
    bool is_repeat = false;
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
    double failed_first = 0, failed_last = 0;
  };
  struct Presence {
    double first = 0;
    double last = 0;
  };
  struct Cover {
    // Parts of a time that no other series has told; from then on they are told.
    std::vector<Presence> take(double from, double to);
    std::vector<Presence> told;  // In the order of time.
  };

  int find_gpu(const Labels& labels);
  static int place_of(GpuTrack& gpu, const Labels& labels);
  int find_replica(const Signal& signal, const Labels& labels);
  bool find_fact(const Signal& signal, const Labels& labels, SeriesState& state);
  void begin_series(const Labels& labels, SeriesState& state);
  OwnerIndex find_owner(const Labels& labels);
  OwnerIndex owner_of_key(std::string_view cluster, const std::string& name, std::string_view team,
                          std::string_view pod);
  // The owner that metrics name by a job, else a new one.
  OwnerIndex owner_of_job(const JobRecord& job, const std::string& name);
  void add_gpu_sample(SeriesState& series, int slot, double value);
  // A GPU is there, and whose it is, whatever its sensors tell.
  void see_gpu(const SeriesState& series, int slot);
  void add_counter(SeriesState& series, double time, double value);
  // A counter at its first sample.
  void begin_counter(const SeriesState& series, double value);
  void note_restart(const SeriesState& series, double time);
  void add_increase(const SeriesState& series, double from, double to, double increase);
  void add_fact(SeriesState& series, double time, double value);
  void add_gauge(SeriesState& series, int slot, double value);
  std::vector<float>* gauge_of(Role role, int replica, const Labels& labels);
  int cover_of(const std::string& key);

  void rescale_percents();
  void rescale_caches(const std::set<std::string_view>& programs);
  void note_small_percents();
  void settle_places();
  std::map<std::string, std::string> find_new_names() const;
  void join_renamed_clusters();
  void join_renamed_nodes();
  std::set<std::string> batch_hosts() const;
  void find_node_names();
  void rename_nodes();
  void join_by_place();
  // What the place of a GPU tells becomes that of those that stood there one after the other.
  void give_to_uuids(std::size_t from, std::vector<std::size_t> to);
  void rename_clusters();
  void rename_owners();
  void rename_replicas();
  void settle_clusters();
  void place_by_host();
  void name_clusters();
  void share_gpus();
  void share_gpu(std::size_t g);
  void settle_copies();
  // What one track tells becomes that of others, in equal parts.
  void give_track(std::size_t from, const std::vector<std::size_t>& heirs);
  void drop_replicas(const std::set<std::size_t>& gone);
  void settle_requests();
  void hold_samples();
  void give_to_jobs();
  std::vector<std::size_t> gpus_of_kind(const std::string& kind,
                                        const std::vector<std::size_t>& gpus) const;
  // What the n-th node of a job has of it.
  void give_on_node(const JobRecord& job, std::size_t n, const Hold& hold, OwnerIndex whole,
                    const std::vector<std::size_t>& gpus);
  // Seconds of GPUs that others hold.
  double give_job(const Hold& hold, OwnerIndex whole, int count,
                  const std::vector<std::size_t>& gpus);
  double labelled_seconds(const GpuTrack& gpu, const Hold& hold, OwnerIndex whole) const;
  double work_seen(const GpuTrack& gpu, const Hold& hold) const;
  void mark_guesses(std::vector<Hold>& holds, const std::vector<std::size_t>& gpus);
  bool do_gpus_differ(const Hold& one, const Hold& other,
                      const std::vector<std::size_t>& gpus) const;
  // Seconds that it became the job's.
  double hold_gpu(GpuTrack& gpu, const Hold& hold, OwnerIndex whole);
  // The GPU that a job is given in place of a free one: its own, where a job that began before was
  // given that.
  std::size_t exchange_gpu(std::size_t free, const Hold& hold,
                           const std::vector<std::size_t>& gpus);
  void release_last(GpuTrack& gpu);
  double borders_seen(const GpuTrack& gpu, const Hold& hold) const;
  void cut_into_shards();
  void note_unknown_shards(const std::string& host);
  void note_crowding(const std::string& host, double asked, double missing);
  void give_by_nodes();
  void place_on_the_only_node();
  void add_silent_gpus();
  // Nodes that jobs alone tell of, each with the most GPUs that were held there at once.
  std::vector<NodeRecord> nodes_of_jobs() const;
  std::vector<NodeRecord> all_nodes();
  bool are_gpus_placed() const;
  OwnerIndex find_holder(const ReplicaTrack& replica) const;
  void join_services();
  void name_workloads();
  void drop_cut_gpus();
  void bound_payment();
  void bound_parts();
  void add_rest(const std::string& key, const std::vector<std::size_t>& parts);
  // Slots for which a sample is held.
  int held_slots() const;
  // Whether one more GPU can be held; says that it cannot, once and for all, where not.
  bool has_room();
  void bound_window();
  void sum_gauges();
  // Which slots the samples of replicas tell of.
  void find_told_slots();

  Grid grid_;
  SignalTable signals_;
  std::map<std::string, std::string> renamed_;
  std::vector<GpuTrack> gpus_;
  std::vector<ReplicaTrack> replicas_;
  std::vector<Owner> owners_;
  std::vector<JobRecord> jobs_;
  std::vector<NodeRecord> nodes_;
  std::vector<NodeRecord> short_nodes_;
  JobsLeftOut crowding_;
  JobsLeftOut unknown_shards_;              // Jobs, and the node of the first one.
  std::map<std::string, int> shards_each_;  // Shards of a GPU, by host.
  std::vector<SeriesState> states_;
  std::unordered_map<std::string, int> series_by_key_;
  std::unordered_map<std::string, int> gpu_by_key_;
  std::unordered_map<std::string, int> replica_by_key_;
  std::unordered_map<std::string, OwnerIndex> owner_by_key_;
  std::unordered_map<std::string, PodFacts> pods_;
  std::unordered_map<std::string, Presence> presence_;  // When targets and nodes were there.
  std::unordered_map<std::string, int> cover_by_key_;
  std::vector<Cover> covered_;                        // Times for which a counter has been told.
  std::map<std::string, std::set<double>> restarts_;  // When counters began anew, by whose.
  std::map<std::string, std::string> new_names_;      // What clusters are called now, by old names.
  std::map<std::string, std::string> new_nodes_;      // What nodes are called now, by old names.
  // Gauges of one replica by its parts, which are added up, where ranks repeat each other.
  using PartName = std::pair<std::string, std::string>;  // And the rank that tells of it.
  std::map<std::pair<int, Role>, std::map<PartName, std::vector<float>>> parts_;
  struct ScaleSeen {
    double largest = 0;
    std::size_t all = 0;    // Above 0,
    std::size_t above = 0;  // and more than a ratio can be.
    bool is_told = false;
  };
  std::vector<ScaleSeen> scales_;       // By the rank of a signal.
  std::set<std::string> gpu_programs_;  // That name GPUs.
  std::vector<OddScale> odd_scales_;
  std::set<std::string> clusters_;  // That metrics name, the empty name among them.
  std::set<std::string> ambiguous_hosts_;
  std::array<std::size_t, 32> seen_{};
  Gaps gaps_;
  bool knows_owners_ = false;
  bool is_held_by_nodes_ = false;
  bool has_job_table_ = false;
  bool is_of_many_ = false;  // Several clusters are told of.
  bool is_too_fine_ = false;
  double told_from_ = 0;
};

// The name of a host without its domain: batch systems and exporters write either.
std::string short_host(std::string_view name);

// `chat-7d9f8b6c5-x2x9k` and `train-0` belong to `chat` and `train`.
std::string workload_of_pod(std::string_view pod);

}  // namespace loadfactor::observe
