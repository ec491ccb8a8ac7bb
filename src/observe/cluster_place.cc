// GPUs that are one by their place: of metrics that tell no UUID all that is known is a node and an
// index, and either may be called otherwise from some day on.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "observe/cluster.h"
#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

// Names that follow one another leave no longer gap than this, in spans of time for which a sample
// is held.
constexpr int kLongestGap = 12;

// Slots in which something was told under a name.
struct SlotSpan {
  int first = -1, last = -1;

  void widen(int from, int to) {
    if (from < 0) return;
    first = first < 0 ? from : std::min(first, from);
    last = std::max(last, to);
  }
  bool is_told() const { return first >= 0; }
};

// Whether one name was given up when the other came into use.
bool is_followed(const SlotSpan& one, const SlotSpan& next, int hold) {
  return one.is_told() && next.is_told() && one.first < next.first &&
         one.last <= next.first + hold && next.first - one.last <= kLongestGap * hold;
}

bool is_by_place(const GpuTrack& gpu) {
  return !gpu.has_uuid && !gpu.is_instance() && gpu.first >= 0;
}

std::string spot_of(const std::string& node, const std::string& index) {
  return short_host(node) + "\x1f" + index;
}

// Slots of a track from one to another, both included.
struct Range {
  int from = 0, to = 0;
};

// Whether both told of some slot.
template <typename T>
bool fill(std::vector<T>& to, const std::vector<T>& from, T none, Range range) {
  if (from.empty()) return false;
  if (to.empty()) to.assign(from.size(), none);
  bool is_twice = false;
  for (int slot = range.from; slot <= range.to; ++slot) {
    const auto s = static_cast<std::size_t>(slot);
    is_twice = is_twice || (to[s] != none && from[s] != none);
    if (to[s] == none) to[s] = from[s];
  }
  return is_twice;
}

void join_faults(const GpuFaults& from, GpuFaults& to) {
  for (const int code : from.xids)
    if (std::find(to.xids.begin(), to.xids.end(), code) == to.xids.end()) to.xids.push_back(code);
  to.ecc = std::max(to.ecc, from.ecc);
  to.remapped_rows = std::max(to.remapped_rows, from.remapped_rows);
  to.remap_failure = to.remap_failure || from.remap_failure;
  to.nvlink_errors = std::max(to.nvlink_errors, from.nvlink_errors);
  to.thermal_seconds = std::max(to.thermal_seconds, from.thermal_seconds);
  to.power_seconds = std::max(to.power_seconds, from.power_seconds);
}

// What one track tells in a range of slots where the other tells nothing; whether both told of some
// slot.
bool join_range(const GpuTrack& from, Range range, GpuTrack& to, int slots) {
  bool is_twice = fill(to.busy, from.busy, kNoShare, range);
  is_twice = fill(to.tensor, from.tensor, kNoShare, range) || is_twice;
  is_twice = fill(to.dram, from.dram, kNoShare, range) || is_twice;
  is_twice = fill(to.power, from.power, kNoByte, range) || is_twice;
  is_twice = fill(to.clock, from.clock, kNoByte, range) || is_twice;
  for (int s = range.from; s <= range.to && !from.label.is_empty(); ++s)
    if (to.label.at(s) == kNoOwner && from.label.at(s) != kNoOwner)
      to.label.set(s, from.label.at(s), slots);
  if (to.sharers.empty()) to.sharers = from.sharers;
  SlotSpan seen{to.first, to.last};
  const int first = std::max(from.first, range.from), last = std::min(from.last, range.to);
  if (first <= last) seen.widen(first, last);
  to.first = seen.first;
  to.last = seen.last;
  to.instances.insert(from.instances.begin(), from.instances.end());
  if (to.model.empty()) to.model = from.model;
  return is_twice;
}

// Tracks of one GPU, by place alone, of which each follows the other: all becomes the last one's.
void join_all(std::vector<std::size_t> tracks, int slots, std::vector<GpuTrack>& gpus,
              std::set<std::size_t>& gone) {
  std::sort(tracks.begin(), tracks.end(),
            [&](std::size_t a, std::size_t b) { return gpus[a].last < gpus[b].last; });
  GpuTrack& to = gpus[tracks.back()];
  for (std::size_t i = 0; i + 1 < tracks.size(); ++i) {
    GpuTrack& from = gpus[tracks[i]];
    join_range(from, {0, slots - 1}, to, slots);
    join_faults(from.faults, to.faults);
    to.places.insert(to.places.begin(), from.places.begin(), from.places.end());
    gone.insert(tracks[i]);
  }
}

void erase(const std::set<std::size_t>& gone, std::vector<GpuTrack>& gpus) {
  std::vector<GpuTrack> left;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    if (!gone.contains(g)) left.push_back(std::move(gpus[g]));
  gpus = std::move(left);
}

// A cluster whose GPUs tell no UUID: their places, and when its name was used.
struct NamedCluster {
  std::map<std::string, std::size_t> places;
  SlotSpan span;
  bool has_uuids = false;
};
std::map<std::string, NamedCluster> named_clusters(const std::vector<GpuTrack>& gpus) {
  std::map<std::string, NamedCluster> clusters;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    NamedCluster& cluster = clusters[gpus[g].cluster];
    cluster.span.widen(gpus[g].first, gpus[g].last);
    if (is_by_place(gpus[g]))
      cluster.places.emplace(spot_of(gpus[g].node, gpus[g].index), g);
    else
      cluster.has_uuids = true;
  }
  return clusters;
}

// Most of the places of both.
std::vector<std::string> shared_places(const NamedCluster& a, const NamedCluster& b) {
  std::vector<std::string> shared;
  for (const auto& [place, gpu] : a.places)
    if (b.places.contains(place)) shared.push_back(place);
  if (2 * shared.size() <= std::max(a.places.size(), b.places.size())) shared.clear();
  return shared;
}

// Another node by the label of the same exporter: when each name was used there.
using NodesOfExporter = std::map<std::string, SlotSpan>;

bool are_one_after_the_other(const NodesOfExporter& nodes, int hold) {
  std::vector<SlotSpan> spans;
  for (const auto& [node, span] : nodes) spans.push_back(span);
  std::sort(spans.begin(), spans.end(),
            [](const SlotSpan& a, const SlotSpan& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (!is_followed(spans[i - 1], spans[i], hold)) return false;
  return true;
}

}  // namespace

// Places of a cluster that was given another name: the same nodes and indices go on under it.
void Cluster::join_renamed_clusters() {
  const auto clusters = named_clusters(gpus_);
  std::set<std::size_t> gone;
  for (const auto& [name, before] : clusters)
    for (const auto& [other, after] : clusters) {
      if (before.has_uuids || after.has_uuids ||
          !is_followed(before.span, after.span, held_slots()))
        continue;
      for (const std::string& place : shared_places(before, after))
        if (const std::size_t g = before.places.at(place); !gone.contains(g))
          join_all({g, after.places.at(place)}, grid_.slots(), gpus_, gone);
    }
  erase(gone, gpus_);
}

// Places of a node that was given another name: its exporter goes on at the same address.
void Cluster::join_renamed_nodes() {
  std::map<std::pair<std::string, std::string>, NodesOfExporter> nodes;
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::vector<std::size_t>>>
      tracks;
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const GpuTrack& gpu = gpus_[g];
    if (!is_by_place(gpu) || gpu.instances.size() != 1 || gpu.instances.begin()->empty()) continue;
    const std::pair exporter{gpu.cluster, *gpu.instances.begin()};
    nodes[exporter][short_host(gpu.node)].widen(gpu.first, gpu.last);
    tracks[exporter][gpu.index].push_back(g);
  }
  std::set<std::size_t> gone;
  for (const auto& [exporter, names] : nodes) {
    if (names.size() < 2 || !are_one_after_the_other(names, held_slots())) continue;
    for (const auto& [index, own] : tracks.at(exporter))
      if (own.size() > 1) join_all(own, grid_.slots(), gpus_, gone);
  }
  erase(gone, gpus_);
}

namespace {

// GPUs of a node by each name of it, and when that was used.
struct NodeName {
  std::set<std::size_t> gpus;
  SlotSpan span;
};
using NodeNames = std::map<std::pair<std::string, std::string>, NodeName>;  // By cluster and host.

NodeNames node_names(const std::vector<GpuTrack>& gpus) {
  NodeNames names;
  for (std::size_t g = 0; g < gpus.size(); ++g)
    for (const GpuPlace& place : gpus[g].places) {
      if (place.first < 0 || place.node.empty()) continue;
      NodeName& name = names[{place.cluster, short_host(place.node)}];
      name.gpus.insert(g);
      name.span.widen(place.first, place.last);
    }
  return names;
}

// Whether both names are of one node: most GPUs of either are those of the other, and one name
// follows the other, or all of them go by both.
bool are_of_one_node(const NodeName& a, const NodeName& b, int hold) {
  std::size_t shared = 0;
  for (const std::size_t gpu : a.gpus) shared += b.gpus.count(gpu);
  if (2 * shared <= std::max(a.gpus.size(), b.gpus.size())) return false;
  return a.gpus == b.gpus || a.span.last <= b.span.first + hold ||
         b.span.last <= a.span.first + hold;
}

// How often a host's name stands for a node of some cluster.
std::map<std::string, int> count_hosts(const NodeNames& names) {
  std::map<std::string, int> counts;
  for (const auto& [name, use] : names) ++counts[name.second];
  return counts;
}

}  // namespace

// Hosts that a batch system names.
std::set<std::string> Cluster::batch_hosts() const {
  std::set<std::string> hosts;
  for (const JobRecord& job : jobs_)
    for (const std::string& node : job.nodes) hosts.insert(short_host(node));
  for (const NodeRecord& node : nodes_) hosts.insert(short_host(node.name));
  return hosts;
}

// Names of nodes that go by another one: what a batch system calls them, else what they are called
// last. A name that two clusters have says nothing.
void Cluster::find_node_names() {
  const NodeNames names = node_names(gpus_);
  const auto counts = count_hosts(names);
  const auto batch = batch_hosts();
  for (auto one = names.begin(); one != names.end(); ++one)
    for (auto other = std::next(one); other != names.end(); ++other) {
      const bool is_elsewhere = one->first.first != other->first.first ||
                                counts.at(one->first.second) + counts.at(other->first.second) > 2;
      if (is_elsewhere || !are_of_one_node(one->second, other->second, held_slots())) continue;
      const std::string& a = one->first.second;
      const std::string& b = other->first.second;
      const bool is_a_kept = batch.contains(a) != batch.contains(b)
                                 ? batch.contains(a)
                                 : one->second.span.last > other->second.span.last;
      new_nodes_.emplace(is_a_kept ? b : a, is_a_kept ? a : b);
    }
}

void Cluster::rename_nodes() {
  find_node_names();
  if (new_nodes_.empty()) return;
  // One that was renamed twice goes by its last name.
  const auto rename = [&](std::string& node) {
    for (std::size_t i = 0; i < new_nodes_.size(); ++i) {
      const auto found = new_nodes_.find(short_host(node));
      if (found == new_nodes_.end()) return;
      node = found->second;
    }
  };
  for (JobRecord& job : jobs_)
    for (std::string& node : job.nodes) rename(node);
  for (NodeRecord& node : nodes_) rename(node.name);
  for (GpuTrack& gpu : gpus_) {
    rename(gpu.node);
    for (GpuPlace& place : gpu.places) rename(place.node);
  }
  for (const auto& [old_name, name] : new_nodes_) {
    const auto before = presence_.find(old_name);
    if (before == presence_.end()) continue;
    const auto [now, is_new] = presence_.emplace(name, before->second);
    now->second = {std::min(now->second.first, before->second.first),
                   std::max(now->second.last, before->second.last)};
  }
}

// Tracks of GPUs whose place is told become those of the GPUs that stand there by their UUIDs;
// where one was put in place of another, each has its own time.
void Cluster::join_by_place() {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> known, unknown;
  std::map<std::string, std::set<std::string>> clusters;  // That have a place.
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const GpuTrack& gpu = gpus_[g];
    if (gpu.first < 0 || gpu.is_instance() || gpu.index.empty() || gpu.node.empty()) continue;
    const std::string place = spot_of(gpu.node, gpu.index);
    (gpu.has_uuid ? known : unknown)[{gpu.cluster, place}].push_back(g);
    if (gpu.has_uuid) clusters[place].insert(gpu.cluster);
  }
  std::set<std::size_t> gone;
  for (const auto& [at, tracks] : unknown) {
    std::string cluster = at.first;
    // A source that names no cluster is of the only one that has the place.
    if (const auto found = clusters.find(at.second);
        cluster.empty() && found != clusters.end() && found->second.size() == 1)
      cluster = *found->second.begin();
    const auto own = known.find({cluster, at.second});
    if (own == known.end()) {
      if (tracks.size() > 1) join_all(tracks, grid_.slots(), gpus_, gone);
      continue;
    }
    for (const std::size_t g : tracks) {
      give_to_uuids(g, own->second);
      gone.insert(g);
    }
  }
  erase(gone, gpus_);
}

void Cluster::give_to_uuids(std::size_t from, std::vector<std::size_t> to) {
  std::sort(to.begin(), to.end(),
            [&](std::size_t a, std::size_t b) { return gpus_[a].first < gpus_[b].first; });
  const GpuTrack& told = gpus_[from];
  bool is_twice = false;
  int begin = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool is_last = i + 1 == to.size();
    const int end = is_last ? grid_.slots() - 1 : std::max(begin, gpus_[to[i + 1]].first - 1);
    is_twice = join_range(told, {begin, end}, gpus_[to[i]], grid_.slots()) || is_twice;
    if (is_last) join_faults(told.faults, gpus_[to[i]].faults);
    begin = end + 1;
    if (begin >= grid_.slots()) break;
  }
  if (is_twice) ++gaps_.duplicates;
  if (gaps_.joined++ == 0) gaps_.first_joined = told.key;
}

}  // namespace loadfactor::observe
