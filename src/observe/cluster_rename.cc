// Clusters that were given another name while the window lasted, and GPUs that were carried from
// one to another: a GPU is one by its UUID, whatever metrics call its place.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "observe/cluster.h"
#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

constexpr char kBehindCluster = '\x1d';

// A name behind that of its cluster, as it is called now.
std::string renamed_key(const std::map<std::string, std::string>& names, const std::string& key) {
  const auto mark = key.find(kBehindCluster);
  const std::string cluster = mark == std::string::npos ? std::string() : key.substr(0, mark);
  const auto found = names.find(cluster);
  return found == names.end() ? key
                              : scoped(found->second, mark == std::string::npos
                                                          ? std::string_view(key)
                                                          : std::string_view(key).substr(mark + 1));
}

std::string now_called(const std::map<std::string, std::string>& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

// When a name of a cluster was used, and for how many GPUs.
struct NameUse {
  int first = -1, last = -1;
  std::size_t gpus = 0;
};
// GPUs that two names are told of, and those of them that both are at the same time.
struct SharedGpus {
  std::size_t all = 0, together = 0;
};

// Two names are of one cluster where one follows the other, or both stand beside each other on
// most of the GPUs.
bool are_of_one(const NameUse& a, const NameUse& b, const SharedGpus& shared, int hand_over) {
  const bool is_follower = a.last <= b.first + hand_over || b.last <= a.first + hand_over;
  return is_follower || 2 * shared.together >= std::min(a.gpus, b.gpus);
}

// Slots of two clusters' names for each GPU.
class NameUses {
 public:
  NameUses(const std::vector<GpuTrack>& gpus, int hand_over) : hand_over_(hand_over) {
    for (const GpuTrack& gpu : gpus) add(gpu);
  }

  // Pairs of names that are of one cluster. No name is one only where a single other fits.
  std::vector<std::pair<std::string, std::string>> pairs() const {
    std::vector<std::pair<std::string, std::string>> found;
    std::size_t unnamed = 0;
    for (const auto& [names, shared] : shared_) {
      if (!are_of_one(uses_.at(names.first), uses_.at(names.second), shared, hand_over_)) continue;
      unnamed += names.first.empty() ? 1 : 0;
      found.push_back(names);
    }
    if (unnamed > 1) std::erase_if(found, [](const auto& names) { return names.first.empty(); });
    return found;
  }
  const NameUse& of(const std::string& name) const { return uses_.at(name); }

 private:
  void add(const GpuTrack& gpu) {
    std::map<std::string, NameUse> own;
    for (const GpuPlace& place : gpu.places)
      if (place.first >= 0) widen(place.first, place.last, own[place.cluster]);
    for (auto one = own.begin(); one != own.end(); ++one) {
      NameUse& use = uses_[one->first];
      widen(one->second.first, one->second.last, use);
      use.gpus += 1;
      for (auto other = std::next(one); other != own.end(); ++other) {
        SharedGpus& shared = shared_[{one->first, other->first}];
        shared.all += 1;
        const bool is_follower = one->second.last <= other->second.first + hand_over_ ||
                                 other->second.last <= one->second.first + hand_over_;
        shared.together += is_follower ? 0 : 1;
      }
    }
  }
  static void widen(int first, int last, NameUse& use) {
    use.first = use.first < 0 ? first : std::min(use.first, first);
    use.last = std::max(use.last, last);
  }

  int hand_over_;
  std::map<std::string, NameUse> uses_;
  std::map<std::pair<std::string, std::string>, SharedGpus> shared_;
};

// What one process counted under two names, at different times or twice.
bool is_told_twice(const ReplicaTrack& a, const ReplicaTrack& b) {
  const auto overlap = [](const std::vector<float>& one, const std::vector<float>& other) {
    std::size_t both = 0;
    for (std::size_t s = 0; s < std::min(one.size(), other.size()); ++s)
      both += one[s] > 0 && other[s] > 0 ? 1 : 0;
    return both;
  };
  constexpr std::size_t kHandOver = 2;
  return overlap(a.tokens_out, b.tokens_out) > kHandOver ||
         overlap(a.tokens_in, b.tokens_in) > kHandOver ||
         overlap(a.requests, b.requests) > kHandOver;
}

}  // namespace

// Names of clusters that are called otherwise now; those that were used last stay.
std::map<std::string, std::string> Cluster::find_new_names() const {
  const NameUses uses(gpus_, held_slots());
  std::map<std::string, std::string> now;
  const auto last_of = [&](std::string name) {
    for (auto next = now.find(name); next != now.end(); next = now.find(name)) name = next->second;
    return name;
  };
  for (const auto& [one, other] : uses.pairs()) {
    std::string a = last_of(one), b = last_of(other);
    if (a == b) continue;
    // A name is kept where the other is none.
    const bool is_a_kept = b.empty() || (!a.empty() && uses.of(a).last > uses.of(b).last);
    if (is_a_kept) std::swap(a, b);
    now[a] = b;
  }
  for (auto& [old_name, name] : now) name = last_of(name);
  return now;
}

void Cluster::rename_clusters() {
  new_names_ = find_new_names();
  if (new_names_.empty()) return;
  const auto rekey = [&](auto& all, auto join) {
    std::remove_reference_t<decltype(all)> renamed;
    for (auto& [key, value] : all) {
      const auto [found, is_new] = renamed.try_emplace(renamed_key(new_names_, key), value);
      if (!is_new) join(value, found->second);
    }
    all = std::move(renamed);
  };
  rekey(presence_, [](const Presence& from, Presence& to) {
    to = {std::min(from.first, to.first), std::max(from.last, to.last)};
  });
  rekey(pods_, [](const PodFacts& from, PodFacts& to) {
    if (to.controller.empty()) to.controller = from.controller;
    if (to.team.empty()) to.team = from.team;
    if (!from.is_failed) return;
    to.failed_first =
        to.is_failed ? std::min(to.failed_first, from.failed_first) : from.failed_first;
    to.failed_last = std::max(to.is_failed ? to.failed_last : 0, from.failed_last);
    to.is_failed = true;
  });
  for (GpuTrack& gpu : gpus_) {
    if (gpu.is_instance()) gpu.cut_from = renamed_key(new_names_, gpu.cut_from);
    gpu.cluster = now_called(new_names_, gpu.cluster);
    for (GpuPlace& place : gpu.places) place.cluster = now_called(new_names_, place.cluster);
  }
  for (JobRecord& job : jobs_)
    if (!job.cluster.empty()) job.cluster = now_called(new_names_, job.cluster);
  for (NodeRecord& node : nodes_)
    if (!node.cluster.empty()) node.cluster = now_called(new_names_, node.cluster);
  std::set<std::string> clusters;
  for (const std::string& name : clusters_) clusters.insert(now_called(new_names_, name));
  clusters_ = std::move(clusters);
  rename_owners();
  rename_replicas();
}

// Pods and jobs that are told of under both names are one each.
void Cluster::rename_owners() {
  std::vector<OwnerIndex> now(owners_.size());
  std::unordered_map<std::string, OwnerIndex> by_key;
  for (std::size_t i = 1; i < owners_.size(); ++i) {
    owners_[i].cluster = now_called(new_names_, owners_[i].cluster);
    const auto index = static_cast<OwnerIndex>(i);
    now[i] = by_key.try_emplace(scoped(owners_[i].cluster, owners_[i].key), index).first->second;
  }
  owner_by_key_ = std::move(by_key);
  for (GpuTrack& gpu : gpus_) {
    gpu.label.rename(now);
    for (OwnerTrack& sharer : gpu.sharers) {
      sharer.rename(now);
      // One that was named twice shares with nobody.
      for (int s = 0; s < grid_.slots(); ++s)
        if (sharer.at(s) == gpu.label.at(s)) sharer.set(s, kNoOwner, grid_.slots());
    }
  }
}

void Cluster::rename_replicas() {
  std::map<std::string, std::size_t> by_key;
  std::set<std::size_t> gone;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    ReplicaTrack& replica = replicas_[r];
    replica.cluster = now_called(new_names_, replica.cluster);
    replica.key = renamed_key(new_names_, replica.key);
    replica.process = renamed_key(new_names_, replica.process);
    const auto [found, is_new] = by_key.emplace(replica.key, r);
    if (is_new) continue;
    gone.insert(r);
    if (is_told_twice(replica, replicas_[found->second]))
      gaps_.duplicates += 1;
    else
      give_track(r, {found->second});
  }
  drop_replicas(gone);
}

// A GPU that was carried from one place to another is where it was seen last.
void Cluster::settle_places() {
  for (GpuTrack& gpu : gpus_) {
    const GpuPlace* at = nullptr;
    bool is_moved = false;
    for (const GpuPlace& place : gpu.places) {
      if (place.first < 0) continue;
      const bool is_later = at != nullptr && place.first >= at->last;
      const bool is_earlier = at != nullptr && place.last <= at->first;
      is_moved = is_moved || ((is_later || is_earlier) && place.cluster != at->cluster &&
                              !place.cluster.empty() && !at->cluster.empty());
      const bool is_named = at != nullptr && at->cluster.empty() && !place.cluster.empty();
      if (at == nullptr || is_later || (is_named && !is_earlier)) at = &place;
    }
    if (at == nullptr) continue;
    if (!at->cluster.empty()) gpu.cluster = at->cluster;
    if (!at->node.empty()) gpu.node = at->node;
    if (is_moved && gaps_.moved++ == 0) gaps_.first_moved = gpu.key;
    gpu.places.clear();
  }
}

}  // namespace loadfactor::observe
