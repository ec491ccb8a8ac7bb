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

// The one cluster that has a host; empty where none has it, or several have.
std::string only_cluster(const std::map<std::string, Names>& clusters, const std::string& host) {
  const auto found = clusters.find(host);
  return found == clusters.end() || found->second.size() != 1 ? std::string()
                                                              : *found->second.begin();
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

// What names no cluster is of the one that has its host.
void Cluster::place_by_host() {
  std::map<std::string, Names> metrics, batch;
  for (const GpuTrack& gpu : gpus_)
    if (!gpu.cluster.empty()) metrics[short_host(gpu.node)].insert(gpu.cluster);
  for (const JobRecord& job : jobs_)
    for (const std::string& node : job.nodes)
      if (!job.cluster.empty()) batch[short_host(node)].insert(job.cluster);
  for (GpuTrack& gpu : gpus_)
    if (gpu.cluster.empty()) gpu.cluster = only_cluster(batch, short_host(gpu.node));
  for (NodeRecord& node : nodes_)
    if (node.cluster.empty()) node.cluster = only_cluster(metrics, short_host(node.name));
  for (JobRecord& job : jobs_)
    for (std::string& node : job.nodes) {
      const std::string host = short_host(node);
      const auto& clusters = job.cluster.empty() ? metrics : batch;
      if (clusters.contains(host) && clusters.at(host).size() > 1 && job.cluster.empty())
        ambiguous_hosts_.insert(host);
      node = in_cluster(job.cluster.empty() ? only_cluster(metrics, host) : job.cluster, node);
    }
  for (const GpuTrack& gpu : gpus_)
    if (const auto found = batch.find(short_host(gpu.node));
        gpu.cluster.empty() && found != batch.end())
      ambiguous_hosts_.insert(found->first);
}

// Teams of two clusters are called alike, and are two.
void Cluster::name_clusters() {
  if (!is_of_many_) return;
  for (Owner& owner : owners_) owner.team = in_cluster(owner.cluster, owner.team);
  for (ReplicaTrack& replica : replicas_) replica.team = in_cluster(replica.cluster, replica.team);
}

}  // namespace loadfactor::observe
