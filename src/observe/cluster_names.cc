// Clusters of which one source tells together: what is called alike in two of them stays apart.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "observe/cluster.h"

namespace loadfactor::observe {
namespace {

using Names = std::set<std::string>;

std::string in_cluster(const std::string& cluster, const std::string& name) {
  return cluster.empty() ? name : cluster + "/" + name;
}

}  // namespace

// Metrics and batch systems may call one cluster differently: names that they do not share say
// nothing where either tells of one cluster alone.
void Cluster::settle_clusters() {
  Names metrics, batch, all;
  for (const std::string& name : clusters_)
    if (!name.empty()) metrics.insert(name);
  for (const JobRecord& job : jobs_)
    if (!job.cluster.empty()) batch.insert(job.cluster);
  for (const NodeRecord& node : nodes_)
    if (!node.cluster.empty()) batch.insert(node.cluster);
  const bool share_names = std::any_of(batch.begin(), batch.end(),
                                       [&](const auto& name) { return metrics.contains(name); });
  if (!share_names && batch.size() <= 1) batch.clear();
  if (!share_names && metrics.size() <= 1) metrics.clear();
  all = metrics;
  all.insert(batch.begin(), batch.end());
  is_of_many_ = all.size() > 1;
  if (batch.empty() || !is_of_many_) {
    for (JobRecord& job : jobs_) job.cluster.clear();
    for (NodeRecord& node : nodes_) node.cluster.clear();
  }
  if (!is_of_many_) return;
  if (metrics.empty())
    for (GpuTrack& gpu : gpus_) gpu.cluster.clear();
  place_by_host();
  for (GpuTrack& gpu : gpus_) gpu.node = in_cluster(gpu.cluster, gpu.node);
  for (NodeRecord& node : nodes_) node.name = in_cluster(node.cluster, node.name);
}

// What names no cluster is of the one that has its host; where several have it, it says nothing
// that could be used.
void Cluster::place_by_host() {
  std::map<std::string, Names> hosts;
  for (const GpuTrack& gpu : gpus_)
    if (!gpu.cluster.empty()) hosts[short_host(gpu.node)].insert(gpu.cluster);
  for (const JobRecord& job : jobs_)
    for (const std::string& node : job.nodes)
      if (!job.cluster.empty()) hosts[short_host(node)].insert(job.cluster);
  // The cluster of a host; false where it may be any of several.
  const auto place = [&](const std::string& host, std::string& cluster) {
    const auto found = hosts.find(short_host(host));
    if (!cluster.empty() || found == hosts.end()) return true;
    if (found->second.size() == 1) return cluster = *found->second.begin(), true;
    ambiguous_hosts_.insert(found->first);
    return false;
  };
  for (GpuTrack& gpu : gpus_) place(gpu.node, gpu.cluster);
  std::erase_if(nodes_, [&](NodeRecord& node) { return !place(node.name, node.cluster); });
  for (JobRecord& job : jobs_)
    std::erase_if(job.nodes, [&](std::string& node) {
      std::string cluster = job.cluster;
      const bool is_placed = place(node, cluster);
      node = in_cluster(cluster, node);
      return !is_placed;
    });
}

// Teams of two clusters are called alike, and are two.
void Cluster::name_clusters() {
  if (!is_of_many_) return;
  for (Owner& owner : owners_) owner.team = in_cluster(owner.cluster, owner.team);
  for (ReplicaTrack& replica : replicas_) replica.team = in_cluster(replica.cluster, replica.team);
}

}  // namespace loadfactor::observe
