// Joins what was told of one cluster: samples held until the next, pods given to workloads and
// services, and the time for which each GPU is paid.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "observe/cluster.h"
#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

// As long as Prometheus itself holds a sample.
constexpr double kHold = 300;

template <typename T>
void hold(std::vector<T>& track, T none, int slots) {
  int age = slots + 1;
  T last = none;
  for (T& value : track) {
    if (value != none) {
      last = value;
      age = 0;
    } else if (++age <= slots) {
      value = last;
    }
  }
}

// The middle distance of two samples of a gauge, in slots; 0 where there are not two.
int usual_distance(const std::vector<float>& track) {
  std::vector<int> distances;
  int last = -1;
  for (int s = 0; s < static_cast<int>(track.size()); ++s) {
    if (track[static_cast<std::size_t>(s)] < 0) continue;
    if (last >= 0) distances.push_back(s - last);
    last = s;
  }
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// How a program calls the same as a ratio; empty where it has no such metric.
std::string ratio_name(const Signal& signal, const SignalTable& table) {
  for (const Signal& other : table.signals())
    if (other.program == signal.program && other.role == signal.role && other.factor == 1 &&
        other.metric.ends_with("_RATIO"))
      return other.metric;
  return {};
}

// A series that ended is held for one more distance of its samples, as if it had been looked at
// once more, and not as one of which a few are missing.
void hold_gauge(std::vector<float>& track, int slots) {
  constexpr float kNone = -1;
  const int usual = usual_distance(track);
  const auto last = std::find_if(track.rbegin(), track.rend(), [](float x) { return x >= 0; });
  const std::ptrdiff_t end = track.rend() - last + (usual > 0 ? usual - 1 : slots);
  hold(track, kNone, std::max(slots, usual - 1));
  if (end < std::ssize(track)) std::fill(track.begin() + end, track.end(), kNone);
}

// Whether Kubernetes may have made a part of a name: it leaves out vowels, and what looks like
// them, so that no word comes out. A suffix that a person wrote, as `alpha`, is none.
bool is_made_up(std::string_view word, std::size_t least, std::size_t most) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  return word.size() >= least && word.size() <= most &&
         word.find_first_not_of(kLetters) == std::string_view::npos;
}
// Replica sets of today are named by such letters, old ones by a number.
bool is_set_hash(std::string_view word) {
  constexpr std::size_t kShortest = 6, kLongest = 10;
  return is_made_up(word, kShortest, kLongest);
}

constexpr std::size_t kLongestOrdinal = 4;
bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// An address has no domain.
std::string short_host(std::string_view full) {
  // The cluster's name may stand before it.
  const auto slash = full.rfind('/');
  const std::string_view before =
      slash == std::string_view::npos ? std::string_view() : full.substr(0, slash + 1);
  const std::string_view name = full.substr(before.size());
  if (name.find_first_not_of("0123456789.:") == std::string_view::npos) return std::string(full);
  return std::string(before) + std::string(name.substr(0, name.find('.')));
}

std::string workload_of_pod(std::string_view pod) {
  const auto tail = pod.rfind('-');
  if (tail == std::string_view::npos || tail == 0) return std::string(pod);
  const std::string_view last = pod.substr(tail + 1);
  const std::string_view head = pod.substr(0, tail);
  // Ordinals of a set, twice where the set stands in a group: `train-workers-0-3`.
  if (is_number(last) && last.size() <= kLongestOrdinal) {
    const auto next = head.rfind('-');
    const bool again =
        next != std::string_view::npos && next > 0 && is_number(head.substr(next + 1));
    return std::string(again ? head.substr(0, next) : head);
  }
  constexpr std::size_t kPodHash = 5;
  if (!is_made_up(last, kPodHash, kPodHash)) return std::string(pod);
  const auto middle = head.rfind('-');
  if (middle == std::string_view::npos || middle == 0) return std::string(head);
  const std::string_view set = head.substr(middle + 1);
  if (is_set_hash(set)) return std::string(head.substr(0, middle));
  if (!is_number(set)) return std::string(head);
  // Pods of indexed jobs have their ordinals before the suffix.
  return set.size() <= kLongestOrdinal ? workload_of_pod(head)
                                       : std::string(head.substr(0, middle));
}

void Cluster::finish() {
  rescale_percents();
  note_small_percents();
  join_renamed_clusters();
  join_renamed_nodes();
  rename_clusters();
  rename_nodes();
  settle_places();
  join_by_place();
  settle_clusters();
  drop_cut_gpus();
  share_gpus();
  hold_samples();
  settle_copies();
  sum_gauges();
  find_told_slots();
  settle_requests();
  place_on_the_only_node();
  add_silent_gpus();
  cut_into_shards();
  give_to_jobs();
  give_by_nodes();
  name_workloads();
  join_services();
  bound_payment();
  bound_parts();
  bound_window();
  series_by_key_.clear();
  states_.clear();
}

// A percentage that is never above 1 is one of GPUs that do nothing, unless a collector made a
// ratio of it and kept the name. Its name decides, and the doubt is said.
void Cluster::note_small_percents() {
  for (const Signal& signal : signals_.signals()) {
    const ScaleSeen& seen = scales_[static_cast<std::size_t>(signal.rank)];
    if (signal.role <= Role::kDram && signal.factor < 1 && seen.largest > 0 && seen.largest <= 1)
      odd_scales_.push_back({signal.metric, false, ratio_name(signal, signals_)});
  }
}

// Some collectors tell a ratio as a percentage under the same name, and then many are above what a
// ratio can be. A few that are come from a sensor that failed, and say nothing.
void Cluster::rescale_percents() {
  constexpr double kMany = 0.01;
  constexpr int kPercent = 100;
  std::set<int> percents;
  std::set<std::string_view> cache_programs;
  for (const Signal& signal : signals_.signals()) {
    const ScaleSeen& seen = scales_[static_cast<std::size_t>(signal.rank)];
    if (static_cast<double>(seen.above) <= kMany * static_cast<double>(seen.all)) continue;
    percents.insert(signal.rank);
    if (signal.role == Role::kCache) cache_programs.insert(signal.program);
    odd_scales_.push_back({signal.metric, true, {}});
  }
  const bool has_marks = std::any_of(scales_.begin(), scales_.end(),
                                     [](const ScaleSeen& seen) { return seen.above > 0; });
  const auto settle = [&](std::vector<Share16>& track, Role role, const GpuTrack& gpu) {
    const bool is_percent = percents.contains(gpu.best[static_cast<std::size_t>(role)]);
    if (!is_percent && !has_marks) return;
    for (Share16& value : track) {
      if (value == kNoShare || (!is_percent && value < kPercentMark)) continue;
      if (value < kPercentMark)
        value = static_cast<Share16>(value / kPercent);
      else
        value = is_percent ? static_cast<Share16>(value - kPercentMark) : kNoShare;
    }
  };
  for (GpuTrack& gpu : gpus_) {
    settle(gpu.busy, Role::kBusy, gpu);
    settle(gpu.tensor, Role::kTensor, gpu);
    settle(gpu.dram, Role::kDram, gpu);
  }
  rescale_caches(cache_programs);
}

// The use of caches by engines whose gauges are told as percentages.
void Cluster::rescale_caches(const std::set<std::string_view>& programs) {
  constexpr float kPercent = 100;
  for (auto& [key, parts] : parts_) {
    const bool is_percent =
        key.second == Role::kCache &&
        programs.contains(replicas_[static_cast<std::size_t>(key.first)].engine);
    if (!is_percent) continue;
    for (auto& [name, track] : parts)
      for (float& value : track) value = value < 0 ? value : value / kPercent;
  }
}

int Cluster::held_slots() const {
  return std::max(1, static_cast<int>(std::lround(kHold / grid_.step)));
}

void Cluster::hold_samples() {
  const int slots = held_slots();
  for (GpuTrack& gpu : gpus_) {
    // To whom a GPU belongs is held where the GPU itself is.
    for (int s = 1; s < grid_.slots() && !gpu.label.is_empty(); ++s)
      if (!gpu.is_known(s)) gpu.label.copy(s - 1, s);
    hold(gpu.busy, kNoShare, slots);
    hold(gpu.tensor, kNoShare, slots);
    hold(gpu.dram, kNoShare, slots);
    hold(gpu.power, kNoByte, slots);
    hold(gpu.clock, kNoByte, slots);
  }
  for (auto& [key, parts] : parts_)
    for (auto& [name, part] : parts) hold_gauge(part, slots);
}

void Cluster::sum_gauges() {
  const auto slots = static_cast<std::size_t>(grid_.slots());
  for (auto& [key, parts] : parts_) {
    ReplicaTrack& replica = replicas_[static_cast<std::size_t>(key.first)];
    std::vector<float> sum(slots, -1.0F);
    std::vector<float> known(slots, 0.0F);
    for (auto part = parts.begin(); part != parts.end();) {
      // Ranks that share a copy of the model stand beside each other, and tell the same.
      std::vector<float> most = std::move(part->second);
      const std::string& name = part->first.first;
      while (++part != parts.end() && part->first.first == name)
        for (std::size_t s = 0; s < slots; ++s) most[s] = std::max(most[s], part->second[s]);
      for (std::size_t s = 0; s < slots; ++s)
        if (most[s] >= 0) {
          sum[s] = (sum[s] < 0 ? 0 : sum[s]) + most[s];
          known[s] += 1;
        }
    }
    if (key.second == Role::kCache)
      for (std::size_t s = 0; s < slots; ++s)
        if (known[s] > 0) sum[s] /= known[s];
    if (key.second == Role::kRunning) replica.running = std::move(sum);
    if (key.second == Role::kWaiting) replica.waiting = std::move(sum);
    if (key.second == Role::kCache) replica.cache = std::move(sum);
  }
  parts_.clear();
}

// What gauges tell in a gap between counts of tokens is held from before it.
void Cluster::find_told_slots() {
  for (ReplicaTrack& replica : replicas_) {
    auto [told, gaps] = replica.looks.slots(grid_);
    for (std::size_t s = 0; s < replica.running.size(); ++s)
      if (replica.running[s] >= 0 && !gaps[s]) told[s] = true;
    replica.told = std::move(told);
    replica.looks = {};
  }
}

// Where requests are not counted, what comes as often is.
void Cluster::settle_requests() {
  for (ReplicaTrack& replica : replicas_) {
    if (replica.has_requests || !replica.has_requests_else) continue;
    replica.has_requests = true;
    replica.requests = std::move(replica.requests_else);
    replica.counts.requests = replica.counts.requests_else;
    replica.begun.requests = replica.begun.requests_else;
  }
}

// A log of one machine does not name it: it is the one that the batch system ran jobs on, where
// that is a single one.
void Cluster::place_on_the_only_node() {
  const auto is_placed = [](const GpuTrack& gpu) { return !gpu.node.empty(); };
  if (std::any_of(gpus_.begin(), gpus_.end(), is_placed)) return;
  std::set<std::string> nodes;
  for (const NodeRecord& node : nodes_) nodes.insert(node.name);
  for (const JobRecord& job : jobs_) nodes.insert(job.nodes.begin(), job.nodes.end());
  if (nodes.size() != 1) return;
  for (GpuTrack& gpu : gpus_) gpu.node = *nodes.begin();
}

bool Cluster::tells_of_use() const {
  return tells_of_jobs() || is_held_by_nodes_ ||
         std::any_of(gpus_.begin(), gpus_.end(),
                     [](const GpuTrack& gpu) { return gpu.is_ever_known(); });
}

bool Cluster::has_gpu_metrics() const {
  return std::any_of(gpus_.begin(), gpus_.end(),
                     [](const GpuTrack& gpu) { return gpu.first >= 0; });
}

void Cluster::name_workloads() {
  for (Owner& owner : owners_) {
    std::string controller;
    if (const PodFacts* facts = find_scoped(pods_, clusters_, owner.cluster, owner.key)) {
      if (facts->is_failed && !owner.is_failed) {
        owner.is_failed = true;
        owner.failed_first = facts->failed_first;
        owner.failed_last = facts->failed_last;
      }
      if (!facts->team.empty()) owner.team = facts->team;
      controller = facts->controller;
    }
    if (!owner.name.empty()) continue;
    // A replica set is named by its deployment and a hash.
    const auto dash = controller.rfind('-');
    if (dash != std::string::npos && is_set_hash(std::string_view(controller).substr(dash + 1)))
      controller.resize(dash);
    if (!controller.empty() && controller != "<none>")
      owner.name = controller;
    else
      owner.name = owner.pod.empty() ? owner.key : workload_of_pod(owner.pod);
  }
}

// The owner of a replica's GPUs: its pod, else whoever holds GPUs on the host that answers.
OwnerIndex Cluster::find_holder(const ReplicaTrack& replica) const {
  if (!replica.pod.empty())
    if (const OwnerIndex* found = find_scoped(owner_by_key_, clusters_, replica.cluster,
                                              replica.team + "/" + replica.pod))
      return *found;
  std::string host = replica.instance.substr(0, replica.instance.rfind(':'));
  if (is_of_many_ && !replica.cluster.empty()) host = replica.cluster + "/" + host;
  host = short_host(host);
  std::set<OwnerIndex> holders;
  for (const GpuTrack& gpu : gpus_)
    if (short_host(gpu.node) == host)
      holders.insert(gpu.owner.owners().begin() + 1, gpu.owner.owners().end());
  return holders.size() == 1 ? *holders.begin() : kNoOwner;
}

void Cluster::join_services() {
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const OwnerIndex owner = find_holder(replicas_[r]);
    if (owner == kNoOwner) continue;
    owners_[owner].is_service = true;
    owners_[owner].replicas.push_back(r);
    replicas_[r].owner = static_cast<int>(owner);
  }
  name_clusters();
  std::map<std::pair<std::string, std::string>, int> workloads;
  for (std::size_t i = 1; i < owners_.size(); ++i) {
    Owner& owner = owners_[i];
    owner.workload =
        workloads.emplace(std::pair{owner.team, owner.name}, static_cast<int>(workloads.size()))
            .first->second;
  }
}

// A GPU is paid while its exporter or node is known to be there; one that nothing is known of
// besides its samples, between the first and the last.
void Cluster::bound_payment() {
  const int slots = grid_.slots();
  const double edge = 2 * kHold + grid_.step;
  for (GpuTrack& gpu : gpus_) {
    gpu.paid_from = 0;
    gpu.paid_to = slots;
    if (gpu.first < 0) continue;
    double first = grid_.time_of(gpu.first);
    double last = grid_.time_of(gpu.last + 1);
    const auto host = is_of_many_ && !gpu.cluster.empty()
                          ? std::string_view(gpu.node).substr(gpu.cluster.size() + 1)
                          : std::string_view(gpu.node);
    const auto add = [&](std::string_view name) {
      if (const Presence* found = find_scoped(presence_, clusters_, gpu.cluster, name)) {
        first = std::min(first, found->first);
        last = std::max(last, found->last);
      }
    };
    for (const std::string& instance : gpu.instances) add(instance);
    add(host);
    for (const NodeRecord& node : nodes_)
      if (short_host(node.name) == short_host(gpu.node)) last = grid_.to;
    if (first > grid_.from + edge) gpu.paid_from = std::max(0, grid_.slot_of(first));
    if (last < grid_.to - edge) gpu.paid_to = std::max(gpu.paid_from, grid_.slot_of(last));
  }
}

void Cluster::bound_window() {
  int first = grid_.slots();
  for (const GpuTrack& gpu : gpus_)
    if (gpu.paid_to > gpu.paid_from) first = std::min(first, gpu.paid_from);
  for (const ReplicaTrack& replica : replicas_) {
    const auto is_told = [&](std::size_t s) {
      return (!replica.running.empty() && replica.running[s] >= 0) ||
             (!replica.tokens_in.empty() && replica.tokens_in[s] > 0) ||
             (!replica.tokens_out.empty() && replica.tokens_out[s] > 0);
    };
    for (int s = 0; s < first; ++s)
      if (is_told(static_cast<std::size_t>(s))) first = s;
  }
  told_from_ = first < grid_.slots() ? grid_.time_of(first) : grid_.from;
}

}  // namespace loadfactor::observe
