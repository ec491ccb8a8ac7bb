// Joins what was told of one cluster: samples held until the next, GPUs given to jobs, pods to
// workloads and services, and the time for which each GPU is paid.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

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

std::string short_host(std::string_view name) {
  return std::string(name.substr(0, name.find('.')));
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

// What of a job's GPUs is on its n-th node: as many on each, the first ones one more.
int gpus_on(const JobRecord& job, std::size_t n) {
  const auto nodes = static_cast<int>(job.nodes.size());
  return job.gpus / nodes + (static_cast<int>(n) < job.gpus % nodes ? 1 : 0);
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

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
  // Instances of MIG stand for the GPU that they are cut from.
  std::set<std::string> cut;
  for (const GpuTrack& gpu : gpus_)
    if (gpu.weight < 1) cut.insert(gpu.key.substr(0, gpu.key.find('/')));
  std::erase_if(gpus_, [&](const GpuTrack& gpu) {
    return gpu.first < 0 || (gpu.weight >= 1 && cut.contains(gpu.key));
  });
  place_on_the_only_node();
  add_silent_gpus();
  give_to_jobs();
  give_by_nodes();
  name_workloads();
  join_services();
  bound_payment();
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

void Cluster::hold_samples() {
  const int slots = std::max(1, static_cast<int>(std::lround(kHold / grid_.step)));
  for (GpuTrack& gpu : gpus_) {
    // To whom a GPU belongs is held where the GPU itself is.
    std::vector<std::uint16_t> owner = gpu.owner;
    for (std::size_t s = 1; s < owner.size(); ++s)
      if (!gpu.is_known(static_cast<int>(s))) owner[s] = owner[s - 1];
    hold(gpu.busy, kNoShare, slots);
    hold(gpu.tensor, kNoShare, slots);
    hold(gpu.dram, kNoShare, slots);
    hold(gpu.power, kNoByte, slots);
    hold(gpu.clock, kNoByte, slots);
    gpu.owner = std::move(owner);
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

// Whether metrics say of every GPU on which host it is, so that a host that they do not name is
// another one. An address is no name that a batch system uses.
bool Cluster::are_gpus_placed() const {
  return std::all_of(gpus_.begin(), gpus_.end(), [](const GpuTrack& gpu) {
    return gpu.node.find_first_not_of("0123456789.:") != std::string::npos;
  });
}

std::vector<NodeRecord> Cluster::nodes_of_jobs() const {
  struct Use {
    std::map<double, int> changes;  // GPUs taken less those given back, by time.
    std::set<std::string> kinds;
  };
  std::map<std::string, Use> uses;
  for (const JobRecord& job : jobs_) {
    if (job.gpus == 0 || job.end_state == JobEnd::kPending || !is_inside(job)) continue;
    for (std::size_t n = 0; n < job.nodes.size(); ++n) {
      Use& use = uses[job.nodes[n]];
      const int gpus = gpus_on(job, n);
      use.changes[job.start] += gpus;
      use.changes[job.end] -= gpus;
      use.kinds.insert(job.accelerator);
    }
  }
  std::vector<NodeRecord> nodes;
  for (const auto& [name, use] : uses) {
    NodeRecord node{.name = name};
    int held = 0;
    for (const auto& [time, change] : use.changes) {
      held += change;
      node.gpus = std::max(node.gpus, held);
    }
    if (use.kinds.size() == 1) node.accelerator = *use.kinds.begin();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// GPUs that a batch system knows and no exporter told of.
void Cluster::add_silent_gpus() {
  std::unordered_map<std::string, int> told;
  for (const GpuTrack& gpu : gpus_) ++told[short_host(gpu.node)];
  std::vector<NodeRecord> nodes = nodes_;
  if (are_gpus_placed()) {
    std::set<std::string> known;
    for (const NodeRecord& node : nodes_) known.insert(short_host(node.name));
    for (NodeRecord& node : nodes_of_jobs())
      if (!known.contains(short_host(node.name))) nodes.push_back(std::move(node));
  }
  // What nobody names is taken to be of the one kind that there is.
  std::set<std::string> kinds;
  for (const GpuTrack& gpu : gpus_) kinds.insert(gpu.model);
  if (kinds.size() == 1)
    for (NodeRecord& node : nodes)
      if (node.accelerator.empty()) node.accelerator = *kinds.begin();
  for (const NodeRecord& node : nodes)
    for (int& i = told[short_host(node.name)]; i < node.gpus; ++i) {
      GpuTrack gpu;
      gpu.key = fmt::format("{}/{}", node.name, i);
      gpu.node = node.name;
      gpu.index = std::to_string(i);
      gpu.model = node.accelerator;
      gpu.owner.assign(static_cast<std::size_t>(grid_.slots()), kNoOwner);
      gpus_.push_back(std::move(gpu));
    }
}

void Cluster::give_to_jobs() {
  // A job that was queued again stands once for every try: one may have failed, another not.
  std::map<std::string, std::set<double>> tries;
  for (const JobRecord& job : jobs_) tries[job.id].insert(job.start);
  // By their starts, so that whoever is given a free GPU leaves no other without one.
  std::vector<const JobRecord*> in_order;
  for (const JobRecord& job : jobs_) in_order.push_back(&job);
  std::stable_sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->start, a->id) < std::tie(b->start, b->id);
  });
  for (const JobRecord* each : in_order) {
    const JobRecord& job = *each;
    if (job.gpus == 0 || job.end_state == JobEnd::kPending) continue;
    const std::string key = "job:" + job.id;
    const bool is_try = tries[job.id].size() > 1 && job.end_state == JobEnd::kFailed;
    const std::uint16_t whole = owner_of_key(key, {}, {});
    const std::uint16_t index =
        is_try ? owner_of_key(fmt::format("{}@{:.0f}", key, job.start), {}, {}) : whole;
    Owner& owner = owners_[index];
    owner.team = job.account.empty() ? job.user : job.account;
    owner.name = job.name.empty() ? "job " + job.id : job.name;
    owner.is_failed = job.end_state == JobEnd::kFailed;
    owner.busy = job.busy;
    give_job(job, index, whole);
  }
}

// Where no job is named, a list of nodes may still tell how many GPUs are held now.
void Cluster::give_by_nodes() {
  const bool is_silent =
      std::all_of(gpus_.begin(), gpus_.end(), [](const GpuTrack& gpu) { return gpu.first < 0; });
  if (!jobs_.empty() || !is_silent) return;
  for (const NodeRecord& node : nodes_) {
    if (!node.gpus_in_use) continue;
    const std::uint16_t index = owner_of_key("held", {}, {});
    is_held_by_nodes_ = true;
    int left = *node.gpus_in_use;
    for (GpuTrack& gpu : gpus_)
      if (gpu.node == node.name && left-- > 0) std::fill(gpu.owner.begin(), gpu.owner.end(), index);
  }
}

// Jobs share nodes: of the GPUs that are free all the time, give or take what clocks differ by,
// those that work most are taken to be the job's; then those that others hold for the shortest
// time. What metrics gave to the whole job is this try's while it ran.
void Cluster::give_job(const JobRecord& job, std::uint16_t owner, std::uint16_t whole) {
  if (!is_inside(job)) return;
  const int from = job.start <= grid_.from ? 0 : std::max(0, grid_.slot_of(job.start));
  const int to = job.end >= grid_.to ? grid_.slots() : std::max(0, grid_.slot_of(job.end));
  for (std::size_t n = 0; n < job.nodes.size(); ++n) {
    const int here = gpus_on(job, n);
    const std::string name = short_host(job.nodes[n]);
    constexpr int kClocksDiffer = 20;  // By less than one part of so many.
    std::vector<std::tuple<int, double, int, std::size_t>> free;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      GpuTrack& gpu = gpus_[g];
      if (short_host(gpu.node) != name) continue;
      double work = 0;
      int taken = 0;
      for (int s = from; s < to; ++s) {
        const auto at = static_cast<std::size_t>(s);
        taken += gpu.owner[at] != kNoOwner && gpu.owner[at] != owner && gpu.owner[at] != whole;
        if (!gpu.busy.empty() && gpu.busy[at] != kNoShare) work += gpu.busy[at];
      }
      const bool is_free = kClocksDiffer * taken <= to - from;
      if (taken < std::max(1, to - from)) free.emplace_back(is_free ? 0 : taken, -work, taken, g);
    }
    std::sort(free.begin(), free.end());
    for (int i = 0; i < here && i < static_cast<int>(free.size()); ++i) {
      auto& track = gpus_[std::get<3>(free[static_cast<std::size_t>(i)])].owner;
      for (int s = from; s < to; ++s)
        if (auto& held = track[static_cast<std::size_t>(s)]; held == kNoOwner || held == whole)
          held = owner;
    }
  }
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
      std::set<std::uint16_t> holders;
      for (const GpuTrack& gpu : gpus_)
        if (short_host(gpu.node) == host)
          for (const std::uint16_t owner : gpu.owner)
            if (owner != kNoOwner) holders.insert(owner);
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
