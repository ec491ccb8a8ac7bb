// How full the replicas of services are, by what their engines tell.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "observe/cluster.h"
#include "observe/time_blocks.h"

namespace loadfactor::observe {

// What a replica of a service does when it is full, in tokens per second, in and out; nothing where
// no scenario says it.
using FullRate = std::function<std::optional<double>(const ReplicaTrack& replica)>;

// Tokens per second of a replica in its fullest tenth of an hour: at least so many it can do.
double best_rate(const ReplicaTrack& replica, const Grid& grid);

// What became of a block of time, in shares of it that add up to 1 where anything is known.
struct ServiceBlock {
  double load = 0;
  double idle = 0;     // Nothing ran.
  double unknown = 0;  // Requests ran, and nothing tells at which rate.
  double few_requests = 0, cache_full = 0, batch_limit = 0;  // Why it was not full.
  bool is_known = false;
};

// An owner of GPUs may run several replicas, as one process with several copies of a model does:
// each is judged alone, and the owner is their mean.
class ServiceLoads {
 public:
  ServiceLoads(const Cluster& cluster, const FullRate& full_rate, const TimeBlocks& blocks);

  // What an owner has that runs replicas.
  const ServiceBlock& at(OwnerIndex owner, int slot) const {
    return owners_[owner][static_cast<std::size_t>(blocks_.of(slot))];
  }
  // Whether samples of any of its replicas tell of a slot.
  bool is_told(OwnerIndex owner, int slot) const {
    return told_[owner][static_cast<std::size_t>(slot)];
  }

 private:
  ServiceBlock block_of(const ReplicaTrack& replica, int block, double full) const;

  const Grid& grid_;
  TimeBlocks blocks_;
  std::vector<std::vector<ServiceBlock>> owners_;
  std::vector<std::vector<bool>> told_;  // Slots, by owner.
};

}  // namespace loadfactor::observe
