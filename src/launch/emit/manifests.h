// Parts that manifests share.
#pragma once

#include "launch/emit/targets.h"
#include "launch/vocabulary/kinds.h"

namespace loadfactor::launch {

// A manifest's head: version, kind, name and labels.
Tree manifest(const Kinds& kinds, const std::string& kind, const std::string& name,
              std::vector<Branch> labels = {});

// `nvidia.com/gpu` of a vendor; refuses one whose name is not known.
std::string gpu_resource(Desk& desk, const Machine& machine, std::string_view key);

// A container that gets whole GPUs.
struct ContainerAsk {
  std::string name;
  std::string image_remark;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string resource;
  int gpus = 1;
  const Machine* machine = nullptr;  // That it runs on, where it spans
  int nodes = 1;                     // several of them.
};
Tree container(const ContainerAsk& ask);

// Nodes with the GPU that was predicted; empty where nobody labels them.
Tree node_selector(const Machine& machine);
void select_nodes(const Machine& machine, Tree& pod);

// A variable of a container.
Tree variable(const char* name, const std::string& value);
// What the library of collectives is told of the fabric between nodes.
Tree fabric_variables(const Machine& machine, int nodes);

// Shared memory as large as ranks need it.
Tree shared_memory_mount();
Tree shared_memory_volume();

// A training run's: the queue that admits it, the files that the framework left for its pods, and
// how a pod sees them.
std::vector<Tree> run_queue(Desk& desk, const Kinds& kinds, const std::string& resource);
Tree launch_files(const Kinds& kinds, const std::string& name,
                  const std::vector<EmittedFile>& files);
Tree launch_mounts();
Tree launch_volumes(const std::string& name);

// The command of an engine inside a container, for one pool.
struct EngineCommand {
  std::vector<std::string> command;
  std::vector<std::string> args;
  int port = 8000;
};
EngineCommand engine_command(Desk& desk, const ReplicaPool& pool);

}  // namespace loadfactor::launch
