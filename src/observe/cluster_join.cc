// Joins what was told of one cluster: samples held until the next, pods given to workloads and
// services, and the time for which each GPU is paid.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "observe/cluster.h"

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

bool is_hash(std::string_view word, std::size_t least, std::size_t most) {
  if (word.size() < least || word.size() > most) return false;
  bool has_digit = false;
  for (const char c : word) {
    const bool digit = c >= '0' && c <= '9';
    has_digit = has_digit || digit;
    if (!digit && !(c >= 'a' && c <= 'z')) return false;
  }
  return has_digit || least == 5;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

// An address has no domain.
std::string short_host(std::string_view name) {
  if (name.find_first_not_of("0123456789.:") == std::string_view::npos) return std::string(name);
  return std::string(name.substr(0, name.find('.')));
}

std::string workload_of_pod(std::string_view pod) {
  const auto tail = pod.rfind('-');
  if (tail == std::string_view::npos || tail == 0) return std::string(pod);
  const std::string_view last = pod.substr(tail + 1);
  const std::string_view head = pod.substr(0, tail);
  // Ordinals of a set, twice where the set stands in a group: `train-workers-0-3`.
  if (is_number(last) && last.size() <= 4) {
    const auto next = head.rfind('-');
    const bool again =
        next != std::string_view::npos && next > 0 && is_number(head.substr(next + 1));
    return std::string(again ? head.substr(0, next) : head);
  }
  constexpr std::size_t kPodHash = 5;
  if (!is_hash(last, kPodHash, kPodHash)) return std::string(pod);
  const auto middle = head.rfind('-');
  if (middle == std::string_view::npos || middle == 0) return std::string(head);
  const std::string_view set = head.substr(middle + 1);
  if (is_hash(set, 8, 10)) return std::string(head.substr(0, middle));
  return is_number(set) ? std::string(head.substr(0, middle)) : std::string(head);
}

void Cluster::finish() {
  rescale_percents();
  rescale_ratios();
  hold_samples();
  sum_gauges();
  drop_cut_gpus();
  place_on_the_only_node();
  add_silent_gpus();
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

// Some collectors tell a percentage as a ratio under the same name: a hundredth of the truth.
void Cluster::rescale_ratios() {
  std::set<int> ratios;
  for (const auto& [signal, largest] : largest_)
    if (largest > 0 && largest <= 1.0) ratios.insert(signal->rank);
  if (ratios.empty()) return;
  constexpr int kPercent = 100;
  const auto scale = [](std::vector<Share16>& track) {
    for (Share16& value : track)
      if (value != kNoShare)
        value = static_cast<Share16>(std::min(value * kPercent, static_cast<int>(1 / kShareStep)));
  };
  for (GpuTrack& gpu : gpus_) {
    if (ratios.contains(gpu.best[static_cast<std::size_t>(Role::kBusy)])) scale(gpu.busy);
    if (ratios.contains(gpu.best[static_cast<std::size_t>(Role::kDram)])) scale(gpu.dram);
  }
}

// Others tell a ratio as a percentage: many are above 1. A few that are come from a sensor that
// failed, and say nothing.
void Cluster::rescale_percents() {
  constexpr double kMany = 0.01;
  constexpr int kPercent = 100;
  std::set<int> percents;
  for (const auto& [signal, count] : ratio_counts_)
    if (static_cast<double>(count.above) > kMany * static_cast<double>(count.all))
      percents.insert(signal->rank);
  const auto settle = [&](std::vector<Share16>& track, Role role, const GpuTrack& gpu) {
    const bool is_percent = percents.contains(gpu.best[static_cast<std::size_t>(role)]);
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
    for (auto& [name, part] : parts) hold(part, -1.0F, slots);
}

void Cluster::sum_gauges() {
  for (auto& [key, parts] : parts_) {
    ReplicaTrack& replica = replicas_[static_cast<std::size_t>(key.first)];
    std::vector<float> sum(static_cast<std::size_t>(grid_.slots()), -1.0F);
    std::vector<float> known(sum.size(), 0.0F);
    for (const auto& [name, part] : parts)
      for (std::size_t s = 0; s < sum.size(); ++s)
        if (part[s] >= 0) {
          sum[s] = (sum[s] < 0 ? 0 : sum[s]) + part[s];
          known[s] += 1;
        }
    if (key.second == Role::kCache)
      for (std::size_t s = 0; s < sum.size(); ++s)
        if (known[s] > 0) sum[s] /= known[s];
    if (key.second == Role::kRunning) replica.running = std::move(sum);
    if (key.second == Role::kWaiting) replica.waiting = std::move(sum);
    if (key.second == Role::kCache) replica.cache = std::move(sum);
  }
  parts_.clear();
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
  return !jobs_.empty() || is_held_by_nodes_ ||
         std::any_of(gpus_.begin(), gpus_.end(),
                     [](const GpuTrack& gpu) { return gpu.is_ever_known(); });
}

bool Cluster::has_gpu_metrics() const {
  return std::any_of(gpus_.begin(), gpus_.end(),
                     [](const GpuTrack& gpu) { return gpu.first >= 0; });
}

void Cluster::name_workloads() {
  for (Owner& owner : owners_) {
    const auto facts = pods_.find(owner.key);
    std::string controller;
    if (facts != pods_.end()) {
      owner.is_failed = owner.is_failed || facts->second.is_failed;
      if (!facts->second.team.empty()) owner.team = facts->second.team;
      controller = facts->second.controller;
    }
    if (!owner.name.empty()) continue;
    // A replica set is named by its deployment and a hash.
    const auto dash = controller.rfind('-');
    if (dash != std::string::npos && is_hash(std::string_view(controller).substr(dash + 1), 8, 10))
      controller.resize(dash);
    if (!controller.empty() && controller != "<none>")
      owner.name = controller;
    else
      owner.name = owner.pod.empty() ? owner.key : workload_of_pod(owner.pod);
  }
}

void Cluster::join_services() {
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    ReplicaTrack& replica = replicas_[r];
    auto found = owner_by_key_.find(replica.team + "/" + replica.pod);
    if (replica.pod.empty() || found == owner_by_key_.end()) {
      // Without a pod: whoever holds GPUs on the host that answers.
      const std::string host = short_host(replica.instance.substr(0, replica.instance.rfind(':')));
      std::set<OwnerIndex> holders;
      for (const GpuTrack& gpu : gpus_)
        if (short_host(gpu.node) == host)
          holders.insert(gpu.owner.owners().begin() + 1, gpu.owner.owners().end());
      if (holders.size() != 1) continue;
      found = owner_by_key_.find(owners_[*holders.begin()].key);
      if (found == owner_by_key_.end()) continue;
    }
    owners_[found->second].is_service = true;
    owners_[found->second].replica = static_cast<int>(r);
    replica.owner = found->second;
  }
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
    for (const std::string* name : {&gpu.instance, &gpu.node})
      if (const auto found = presence_.find(*name); found != presence_.end()) {
        first = std::min(first, found->second.first);
        last = std::max(last, found->second.last);
      }
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
