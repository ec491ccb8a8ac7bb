// The GPUs that a container gets, and how often its pod runs.
#pragma once

#include <cstdint>
#include <string>

#include "launch/findings/nodes.h"

namespace loadfactor::launch {

// What stands around a container and says how often it runs.
struct Around {
  const config::Node* replicas = nullptr;
  const config::Node* completions = nullptr;
  std::int64_t servers = 1;  // Containers of a pod that serve, each a replica.
  std::int64_t jobs = 1;     // Equal ones, each with so many completions.
};

// What the whole manifest says of its pods.
struct PodKind {
  const config::Node* group_size = nullptr;  // The pods of a replica, where they are a group.
  bool is_operated = false;                  // Whether an operator starts the nodes of a run.
};

// A container that gets GPUs, and whether it starts a program that we know.
struct GpuContainer {
  const config::Node& node;
  bool starts = false;
  std::string pool = {};
};
void read_pod_gpus(const Source& source, const GpuContainer& container, const Around& around,
                   const PodKind& kind, Findings& findings);

}  // namespace loadfactor::launch
