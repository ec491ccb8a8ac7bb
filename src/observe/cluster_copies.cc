// Copies of a model that one process answers for: each is a replica of its own, as it would be in a
// pod of its own.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "observe/cluster.h"

namespace loadfactor::observe {
namespace {

void add_buckets(const std::map<double, double>& from, double share, std::map<double, double>& to) {
  for (const auto& [bound, count] : from) to[bound] += share * count;
}

void add_counts(const EngineCounts& from, double share, EngineCounts& to) {
  to.tokens_in += share * from.tokens_in;
  to.tokens_out += share * from.tokens_out;
  to.requests += share * from.requests;
  to.requests_else += share * from.requests_else;
  to.prefix_hits += share * from.prefix_hits;
  to.prefix_queries += share * from.prefix_queries;
  to.preemptions += share * from.preemptions;
  add_buckets(from.first_token, share, to.first_token);
  add_buckets(from.next_token, share, to.next_token);
  add_buckets(from.queue, share, to.queue);
}

void add_track(const std::vector<float>& from, double share, std::vector<float>& to) {
  if (from.empty()) return;
  if (to.empty()) to.assign(from.size(), 0.0F);
  for (std::size_t s = 0; s < from.size(); ++s) to[s] += static_cast<float>(share) * from[s];
}

// Gives a share of what one track counted to another.
void add_replica(const ReplicaTrack& from, double share, ReplicaTrack& to) {
  add_track(from.tokens_in, share, to.tokens_in);
  add_track(from.tokens_out, share, to.tokens_out);
  add_track(from.requests, share, to.requests);
  add_track(from.requests_else, share, to.requests_else);
  add_counts(from.counts, share, to.counts);
  add_counts(from.begun, share, to.begun);
  to.looks.add(from.looks);
  to.has_requests = to.has_requests || from.has_requests;
  to.has_requests_else = to.has_requests_else || from.has_requests_else;
  if (to.model.empty()) to.model = from.model;
}

}  // namespace

// Ranks that divide the attention of one copy are not copies, and are put together. What a process
// counts without a label of its copy is of all of them alike.
void Cluster::settle_copies() {
  std::map<std::string, std::vector<std::size_t>> processes;
  for (std::size_t r = 0; r < replicas_.size(); ++r) processes[replicas_[r].process].push_back(r);
  std::set<std::size_t> gone;
  for (const auto& [process, tracks] : processes) {
    std::vector<std::size_t> copies;
    for (const std::size_t r : tracks)
      if (!replicas_[r].copy.empty() && replicas_[r].has_first_rank) copies.push_back(r);
    if (copies.size() < 2) copies = {tracks.front()};
    for (const std::size_t r : tracks) {
      if (std::find(copies.begin(), copies.end(), r) != copies.end()) continue;
      const bool is_of_all = replicas_[r].copy.empty();
      const auto heirs = static_cast<std::ptrdiff_t>(is_of_all ? copies.size() : 1);
      give_track(r, {copies.begin(), copies.begin() + heirs});
      gone.insert(r);
    }
  }
  drop_replicas(gone);
}

void Cluster::give_track(std::size_t from, const std::vector<std::size_t>& heirs) {
  const double share = 1 / static_cast<double>(heirs.size());
  for (const std::size_t to : heirs) add_replica(replicas_[from], share, replicas_[to]);
  for (const Role role : {Role::kRunning, Role::kWaiting, Role::kCache}) {
    const auto found = parts_.find({static_cast<int>(from), role});
    if (found == parts_.end()) continue;
    for (const std::size_t to : heirs) {
      auto& parts = parts_[{static_cast<int>(to), role}];
      // A copy that tells of itself is believed.
      if (heirs.size() > 1 && !parts.empty()) continue;
      for (auto [name, track] : found->second) {
        if (role != Role::kCache)
          for (float& value : track) value = value < 0 ? value : value * static_cast<float>(share);
        if (const auto [known, is_new] = parts.try_emplace(name, track); !is_new)
          for (std::size_t s = 0; s < track.size(); ++s)
            if (known->second[s] < 0) known->second[s] = track[s];
      }
    }
    parts_.erase(found);
  }
}

void Cluster::drop_replicas(const std::set<std::size_t>& gone) {
  std::vector<int> places(replicas_.size(), -1);
  std::vector<ReplicaTrack> left;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    if (gone.contains(r)) continue;
    places[r] = static_cast<int>(left.size());
    left.push_back(std::move(replicas_[r]));
  }
  replicas_ = std::move(left);
  decltype(parts_) parts;
  for (auto& [key, tracks] : parts_)
    if (!gone.contains(static_cast<std::size_t>(key.first)))
      parts[{places[static_cast<std::size_t>(key.first)], key.second}] = std::move(tracks);
  parts_ = std::move(parts);
}

}  // namespace loadfactor::observe
