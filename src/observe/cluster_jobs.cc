// Gives GPUs to the jobs of a batch system, and adds those that it alone tells of.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "observe/activity.h"
#include "observe/cluster.h"
#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

// Clocks of metrics and of a batch system differ by less than this part of a job.
constexpr double kClocksDiffer = 0.05;

// What of a job's GPUs, or shards, is on its n-th node: as many on each, the first ones one more.
int part_on(int all, const JobRecord& job, std::size_t n) {
  const auto nodes = static_cast<int>(job.nodes.size());
  return all / nodes + (static_cast<int>(n) < all % nodes ? 1 : 0);
}
int gpus_on(const JobRecord& job, std::size_t n) {
  return part_on(job.gpus, job, n);
}

bool holds_gpus(const JobRecord& job) {
  return job.gpus + job.shards > 0 && job.end_state != JobEnd::kPending;
}

// What one hold and a time have in common, in seconds.
double common(double from, double to, double other_from, double other_to) {
  return std::max(0.0, std::min(to, other_to) - std::max(from, other_from));
}

// The i-th GPU of a node, or the i-th instance where its GPUs are cut alike.
GpuTrack silent_gpu(const NodeRecord& node, int i) {
  GpuTrack gpu;
  gpu.key = fmt::format("{}/{}", node.name, i);
  gpu.cluster = node.cluster;
  gpu.node = node.name;
  gpu.index = std::to_string(i);
  gpu.model = node.kind_of(i);
  if (const InstanceKind kind = instance_kind(gpu.model); kind.weight > 0 && node.kinds.empty()) {
    gpu.model = kind.model;
    gpu.weight = kind.weight;
    gpu.cut_from =
        fmt::format("{}/cut {}", node.name, i / static_cast<int>(1 / kind.weight + 1e-9));
  }
  return gpu;
}

// Seconds of a hold in which other jobs hold the GPU.
double held_seconds(const GpuTrack& gpu, const Hold& hold) {
  double taken = 0;
  // Jobs are given in the order of their starts, so that those that go on stand last.
  for (auto held = gpu.holds.rbegin(); held != gpu.holds.rend() && held->to > hold.from; ++held)
    taken += common(held->from, held->to, hold.from, hold.to);
  return taken;
}

}  // namespace

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
    int largest = 0;  // The most that one job held.
  };
  std::map<std::string, Use> uses;
  for (const JobRecord& job : jobs_) {
    if (!holds_gpus(job) || job.gpus == 0 || !is_inside(job)) continue;
    for (std::size_t n = 0; n < job.nodes.size(); ++n) {
      Use& use = uses[job.nodes[n]];
      const int gpus = gpus_on(job, n);
      use.changes[job.start] += gpus;
      use.changes[job.end] -= gpus;
      // A job that names no kind holds what its node has.
      if (!job.accelerator.empty()) use.kinds.insert(job.accelerator);
      use.largest = std::max(use.largest, gpus);
    }
  }
  std::vector<NodeRecord> nodes;
  for (const auto& [name, use] : uses) {
    NodeRecord node{.name = name};
    // The cluster's name stands before that of a host.
    if (const auto slash = name.rfind('/'); is_of_many_ && slash != std::string::npos)
      node.cluster = name.substr(0, slash);
    node.gpus_in_use = use.largest;
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

// Nodes of the list, and those that jobs alone tell of. A list tells of today: a node on which one
// job held more GPUs than stand there has had as many.
std::vector<NodeRecord> Cluster::all_nodes() {
  std::vector<NodeRecord> nodes = nodes_;
  std::map<std::string, std::size_t> listed;
  for (std::size_t i = 0; i < nodes.size(); ++i) listed.emplace(short_host(nodes[i].name), i);
  const bool are_placed = are_gpus_placed();
  for (NodeRecord& node : nodes_of_jobs()) {
    const auto found = listed.find(short_host(node.name));
    if (found == listed.end()) {
      if (are_placed) nodes.push_back(std::move(node));
    } else if (NodeRecord& known = nodes[found->second]; known.gpus < *node.gpus_in_use) {
      short_nodes_.push_back(
          {.name = known.name, .gpus = known.gpus, .gpus_in_use = node.gpus_in_use});
      known.gpus = *node.gpus_in_use;
    }
  }
  return nodes;
}

// GPUs that a batch system knows and no exporter told of.
void Cluster::add_silent_gpus() {
  std::map<std::string, std::set<std::string>> told;  // A GPU that is cut stands there once.
  for (const GpuTrack& gpu : gpus_) told[short_host(gpu.node)].insert(gpu.whole_key());
  std::vector<NodeRecord> nodes = all_nodes();
  // What nobody names is taken to be of the one kind that there is.
  std::set<std::string> kinds;
  for (const GpuTrack& gpu : gpus_) kinds.insert(gpu.model);
  if (kinds.size() == 1)
    for (NodeRecord& node : nodes)
      if (node.accelerator.empty() && node.kinds.empty()) node.accelerator = *kinds.begin();
  for (const NodeRecord& node : nodes) {
    auto& here = told[short_host(node.name)];
    for (auto i = static_cast<int>(here.size()); i < node.gpus && has_room(); ++i) {
      GpuTrack gpu = silent_gpu(node, i);
      here.insert(gpu.key);
      gpus_.push_back(std::move(gpu));
    }
  }
}

OwnerIndex Cluster::owner_of_job(const JobRecord& job, const std::string& name) {
  if (const OwnerIndex* found = find_scoped(owner_by_key_, clusters_, job.cluster, name))
    return *found;
  return owner_of_key(job.cluster, name, {}, {});
}

void Cluster::give_to_jobs() {
  std::unordered_map<std::string, std::vector<std::size_t>> by_node;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    if (jobs_.empty())
      gpus_[g].owner = std::move(gpus_[g].label);
    else
      gpus_[g].owner = gpus_[g].label;
    by_node[short_host(gpus_[g].node)].push_back(g);
  }
  // A job that was queued again stands once for every try: one may have failed, another not.
  std::map<std::pair<std::string, std::string>, std::set<double>> tries;
  for (const JobRecord& job : jobs_) tries[{job.cluster, job.id}].insert(job.start);
  // By their starts, so that whoever is given a free GPU leaves no other without one.
  std::vector<const JobRecord*> in_order;
  for (const JobRecord& job : jobs_)
    if (holds_gpus(job)) in_order.push_back(&job);
  std::stable_sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) {
    return std::tie(a->start, a->id) < std::tie(b->start, b->id);
  });
  std::map<std::string, std::vector<Hold>> holds;  // By host.
  for (const JobRecord* each : in_order) {
    const JobRecord& job = *each;
    const std::string key = std::string(kJobKey) + job.id;
    const bool is_try = tries[{job.cluster, job.id}].size() > 1 && job.end_state == JobEnd::kFailed;
    const OwnerIndex whole = owner_of_job(job, key);
    const OwnerIndex index =
        is_try ? owner_of_job(job, fmt::format("{}@{:.0f}", key, job.start)) : whole;
    Owner& owner = owners_[index];
    owner.team = job.account.empty() ? job.user : job.account;
    owner.name = job.name.empty() ? "job " + job.id : job.name;
    owner.is_failed = job.end_state == JobEnd::kFailed;
    owner.failed_first = owner.failed_last = job.end;
    owner.busy = job.busy;
    if (!is_inside(job)) continue;
    const Hold hold{std::max(job.start, grid_.from), std::min(job.end, grid_.to), index};
    for (std::size_t n = 0; n < job.nodes.size(); ++n) {
      const std::string host = short_host(job.nodes[n]);
      give_on_node(job, n, hold, whole, by_node[host]);
      holds[host].push_back(hold);
    }
  }
  for (auto& [host, of_host] : holds) mark_guesses(of_host, by_node[host]);
  for (GpuTrack& gpu : gpus_) gpu.label = {};
}

// A job that names a kind holds GPUs of it, where a node has several kinds.
std::vector<std::size_t> Cluster::gpus_of_kind(const std::string& kind,
                                               const std::vector<std::size_t>& gpus) const {
  std::vector<std::size_t> own;
  for (const std::size_t g : gpus)
    if (gpus_[g].model == kind) own.push_back(g);
  return own.empty() ? gpus : own;
}

void Cluster::give_on_node(const JobRecord& job, std::size_t n, const Hold& hold, OwnerIndex whole,
                           const std::vector<std::size_t>& gpus) {
  const int shards = part_on(job.shards, job, n);
  const auto cut = shards_each_.find(short_host(job.nodes[n]));
  const bool is_cut = cut != shards_each_.end();
  if (shards > 0 && !is_cut) note_unknown_shards(job.nodes[n]);
  const int of_gpu = is_cut ? cut->second : 1;
  const int parts = gpus_on(job, n) * of_gpu + (is_cut ? shards : 0);
  const double missing = give_job(hold, whole, parts, gpus_of_kind(job.accelerator, gpus));
  note_crowding(job.nodes[n], parts * (hold.to - hold.from) / of_gpu, missing / of_gpu);
}

// Where no job is named, a list of nodes may still tell how many GPUs are held now.
void Cluster::give_by_nodes() {
  const bool is_silent =
      std::all_of(gpus_.begin(), gpus_.end(), [](const GpuTrack& gpu) { return gpu.first < 0; });
  // Jobs of which none is told to hold a GPU say nothing of who holds them.
  if (std::any_of(jobs_.begin(), jobs_.end(), holds_gpus) || !is_silent) return;
  for (const NodeRecord& node : nodes_) {
    if (!node.gpus_in_use) continue;
    const OwnerIndex index = owner_of_key(node.cluster, "held", {}, {});
    is_held_by_nodes_ = true;
    int left = *node.gpus_in_use;
    for (GpuTrack& gpu : gpus_)
      if (gpu.node == node.name && left-- > 0)
        for (int s = 0; s < grid_.slots(); ++s) gpu.owner.set(s, index, grid_.slots());
  }
}

// Jobs that begin and end together on one node may each hold any of its GPUs: where these differ in
// what they did, whose was idle is not known.
void Cluster::mark_guesses(std::vector<Hold>& holds, const std::vector<std::size_t>& gpus) {
  std::sort(holds.begin(), holds.end(),
            [](const Hold& a, const Hold& b) { return a.from < b.from; });
  for (std::size_t i = 0; i < holds.size(); ++i) {
    const Hold& one = holds[i];
    const double alike = kClocksDiffer * (one.to - one.from);
    for (std::size_t j = i + 1; j < holds.size() && holds[j].from - one.from <= alike; ++j) {
      const Hold& other = holds[j];
      Owner& first = owners_[one.owner];
      Owner& second = owners_[other.owner];
      const bool is_one_workload = first.team == second.team && first.name == second.name &&
                                   first.is_failed == second.is_failed;
      if (is_one_workload || std::abs(other.to - one.to) > alike) continue;
      if (do_gpus_differ(one, other, gpus)) first.is_guessed = second.is_guessed = true;
    }
  }
}

// Whether the GPUs of two jobs worked for different times, and no metric says whose they are.
bool Cluster::do_gpus_differ(const Hold& one, const Hold& other,
                             const std::vector<std::size_t>& gpus) const {
  double least = 1, most = 0;
  for (const std::size_t g : gpus) {
    const GpuTrack& gpu = gpus_[g];
    const bool is_theirs = std::any_of(gpu.holds.begin(), gpu.holds.end(), [&](const Hold& hold) {
      return hold.owner == one.owner || hold.owner == other.owner;
    });
    if (!is_theirs || !gpu.is_ever_known() || !gpu.label.is_empty()) continue;
    double work = 0, known = 0;
    for (int s = grid_.slot_of(one.from); s < grid_.slots() && grid_.time_of(s) < one.to; ++s) {
      if (!gpu.is_known(s)) continue;
      known += 1;
      work += is_active(gpu, s) ? 1 : 0;
    }
    if (known <= 0) continue;
    least = std::min(least, work / known);
    most = std::max(most, work / known);
  }
  constexpr double kNoticeable = 0.1;
  return most - least > kNoticeable;
}

// Seconds of a hold for which metrics name somebody else.
double Cluster::labelled_seconds(const GpuTrack& gpu, const Hold& hold, OwnerIndex whole) const {
  if (gpu.label.is_empty()) return 0;
  double taken = 0;
  for (int s = grid_.slot_of(hold.from); s < grid_.slots() && grid_.time_of(s) < hold.to; ++s)
    if (const OwnerIndex owner = gpu.label.at(s);
        owner != kNoOwner && owner != hold.owner && owner != whole)
      taken += common(grid_.time_of(s), grid_.end_of(s), hold.from, hold.to);
  return taken;
}

// By how much a GPU computes while a job runs, and not just before and after it, in slots.
double Cluster::work_seen(const GpuTrack& gpu, const Hold& hold) const {
  if (!gpu.is_ever_known()) return 0;
  constexpr int kAround = 2;
  const int first = grid_.slot_of(hold.from);
  int last = grid_.slot_of(hold.to);
  if (last > first && grid_.time_of(last) >= hold.to) --last;
  int work = 0;
  for (int s = std::max(0, first - kAround); s < std::min(grid_.slots(), last + kAround + 1); ++s)
    if (gpu.is_known(s) && is_active(gpu, s)) work += s >= first && s <= last ? 1 : -1;
  return work;
}

// Jobs share nodes: of the GPUs that are free all the time, give or take what the clock of metrics
// differs by, those that work most are taken to be the job's; then those that others hold for the
// shortest time. What metrics gave to the whole job is this try's while it ran.
double Cluster::give_job(const Hold& hold, OwnerIndex whole, int count,
                         const std::vector<std::size_t>& gpus) {
  const double length = hold.to - hold.from;
  if (length <= 0 || gpus.empty()) return 0;
  std::vector<std::tuple<double, double, double, std::size_t>> free;
  for (const std::size_t g : gpus) {
    const GpuTrack& gpu = gpus_[g];
    const double work = work_seen(gpu, hold);
    const double held = held_seconds(gpu, hold);
    const double labelled = labelled_seconds(gpu, hold, whole);
    const double taken = held + labelled;
    const bool is_free = held <= 0 && labelled <= kClocksDiffer * length;
    if (taken < length) free.emplace_back(is_free ? 0 : taken, -work, taken, g);
  }
  std::sort(free.begin(), free.end());
  double missing = count * length;
  for (int i = 0; i < count && i < static_cast<int>(free.size()); ++i) {
    const std::size_t g = std::get<3>(free[static_cast<std::size_t>(i)]);
    missing -= hold_gpu(gpus_[exchange_gpu(g, hold, gpus)], hold, whole);
  }
  return missing;
}

// What clocks differ by is no overlap.
void Cluster::note_crowding(const std::string& host, double asked, double missing) {
  if (missing <= kClocksDiffer * asked) return;
  if (crowding_.jobs++ == 0) crowding_.first = host;
  crowding_.gpu_seconds += missing;
}

// The time that nobody else holds becomes the job's.
double Cluster::hold_gpu(GpuTrack& gpu, const Hold& hold, OwnerIndex whole) {
  Hold piece = hold;
  double given = 0;
  if (!gpu.holds.empty()) piece.from = std::max(hold.from, gpu.holds.back().to);
  const auto add = [&](double from, double to) {
    if (to <= from) return;
    given += to - from;
    if (!gpu.holds.empty() && gpu.holds.back().to == from && gpu.holds.back().owner == hold.owner)
      gpu.holds.back().to = to;
    else
      gpu.holds.push_back({from, to, hold.owner});
  };
  if (gpu.label.is_empty()) add(piece.from, piece.to);
  for (int s = grid_.slot_of(piece.from); s < grid_.slots() && grid_.time_of(s) < piece.to; ++s) {
    const OwnerIndex label = gpu.label.at(s);
    if (label != kNoOwner && label != hold.owner && label != whole) continue;
    const double from = std::max(piece.from, grid_.time_of(s));
    const double to = std::min(piece.to, grid_.end_of(s));
    if (!gpu.label.is_empty()) add(from, to);
    const OwnerIndex held = gpu.owner.at(s);
    if (held == kNoOwner || held == whole || to - from >= (grid_.end_of(s) - grid_.time_of(s)) / 2)
      gpu.owner.set(s, hold.owner, grid_.slots());
  }
  return given;
}

}  // namespace loadfactor::observe
