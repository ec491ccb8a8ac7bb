// Shards of Slurm: jobs that share a GPU each hold some of the equal parts that its node has.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "observe/cluster.h"

namespace loadfactor::observe {

// GPUs of nodes on which jobs hold shards stand as that many parts, which all show what their GPU
// does.
void Cluster::cut_into_shards() {
  std::set<std::string> shared;
  for (const JobRecord& job : jobs_)
    if (job.shards > 0 && is_inside(job))
      for (const std::string& node : job.nodes) shared.insert(short_host(node));
  for (const NodeRecord& node : nodes_) {
    const std::string host = short_host(node.name);
    if (node.gpus > 0 && node.shards >= node.gpus && shared.contains(host))
      shards_each_[host] = node.shards / node.gpus;
  }
  const std::size_t whole = gpus_.size();
  for (std::size_t g = 0; g < whole; ++g) {
    const auto cut = shards_each_.find(short_host(gpus_[g].node));
    if (cut == shards_each_.end() || cut->second < 2) continue;
    gpus_[g].cut_from = gpus_[g].whole_key();
    gpus_[g].weight /= cut->second;
    for (int part = 2; part <= cut->second && has_room(); ++part) {
      GpuTrack copy = gpus_[g];
      copy.key += "/shard " + std::to_string(part);
      copy.faults = {};
      gpus_.push_back(std::move(copy));
    }
  }
}

void Cluster::note_unknown_shards(const std::string& host) {
  if (unknown_shards_.jobs++ == 0) unknown_shards_.first = host;
}

}  // namespace loadfactor::observe
