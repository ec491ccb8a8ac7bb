#include "launch/read/manifests/pod_gpus.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

using config::Node;

class PodReader {
 public:
  PodReader(const Source& source, const Around& around, const PodKind& kind, Findings& findings)
      : source_(source), around_(around), kind_(kind), findings_(findings) {}

  void read(const GpuContainer& container) {
    const Node* limits = at(container.node, "resources.limits");
    if (limits == nullptr) return;
    const bool is_spread = at(container.node, "multinode.nodeCount") != nullptr;
    const bool serves = container.starts && findings_.find("serve.deployment.engine") != nullptr;
    const std::string& pool = container.pool;
    if (serves && kind_.group_size != nullptr)
      findings_.set(nodes_key(pool), kind_.group_size->scalar, place(source_, kind_.group_size));
    for (const auto& each : limits->members) {
      if (each.key.find("/mig-") != std::string::npos)
        findings_.remark(fmt::format("{} is a MIG slice: a scenario counts whole GPUs", each.key),
                         place(source_, &each.value));
      if (is_spread || !is_gpu(each.key)) continue;
      const auto count = whole_number(each.value.scalar);
      if (!count)
        return findings_.error(lf::kWrongType, place(source_, &each.value),
                               fmt::format("'{}' GPUs: only whole ones", each.value.scalar),
                               "a share of a GPU is a MIG slice or a time slice");
      set_gpus(*count, place(source_, &each.value), container, serves);
    }
    if (serves && around_.completions == nullptr) read_replicas(pool);
  }

 private:
  bool is_run() const { return around_.completions != nullptr || kind_.is_operated; }
  bool is_gpu(const std::string& resource) const {
    return resource.ends_with("/gpu") || resource == "gpu" ||
           (is_run() && resource.ends_with("/neuron"));
  }
  void set_gpus(std::int64_t count, const Place& where, const GpuContainer& container,
                bool serves) {
    if (is_run()) {
      findings_.has_launch = true;
      findings_.set("gpus_per_node", count, where);
      const auto nodes =
          around_.completions == nullptr ? std::nullopt : whole_number(around_.completions->scalar);
      if (nodes) findings_.set("nodes", *nodes * around_.jobs, place(source_, around_.completions));
    } else if (serves) {
      findings_.set(container.pool.empty() ? "replica_gpus" : container.pool + "_gpus", count,
                    where);
    } else if (container.starts) {
      findings_.set("gpus_per_node", count, where);
    }
  }
  void read_replicas(const std::string& pool) {
    const std::string key = pool.empty() ? "serve.deployment.replicas"
                                         : fmt::format("serve.deployment.{}.replicas", pool);
    if (around_.replicas != nullptr) return set_replicas(key, *around_.replicas, pool);
    if (around_.servers > 1)
      findings_.guess(
          key, std::to_string(around_.servers),
          fmt::format("{} containers of the pod serve, each a replica", around_.servers));
  }
  // Pods that are the ranks of one server, as `--nnodes` says, are one replica.
  void set_replicas(const std::string& key, const Node& said, const std::string& pool) {
    const auto pods = whole_number(said.scalar);
    const bool is_template =
        said.scalar.find('$') != std::string::npos || said.scalar.find("{{") != std::string::npos;
    if (!pods && is_template)
      return findings_.leave_open(key, place(source_, &said), said.scalar + " is set elsewhere");
    if (!pods)
      return findings_.error(lf::kWrongType, place(source_, &said),
                             fmt::format("'{}' is no number of replicas", said.scalar),
                             "digits alone, as in replicas: 2");
    const std::int64_t ranks =
        kind_.group_size != nullptr ? 1 : findings_.number(nodes_key(pool)).value_or(1);
    if (ranks > 1 && *pods % ranks != 0)
      return findings_.error(lf::kContradictoryKeys, place(source_, &said),
                             fmt::format("{} pods are no whole servers of {} nodes", *pods, ranks),
                             "as many pods as --nnodes, or a multiple of it");
    constexpr std::int64_t kMaxPods = 1'000'000'000'000;
    findings_.set(key, std::min(*pods, kMaxPods) / ranks * around_.servers, place(source_, &said));
  }

  const Source& source_;
  const Around& around_;
  const PodKind& kind_;
  Findings& findings_;
};

}  // namespace

void read_pod_gpus(const Source& source, const GpuContainer& container, const Around& around,
                   const PodKind& kind, Findings& findings) {
  PodReader(source, around, kind, findings).read(container);
}

}  // namespace loadfactor::launch
