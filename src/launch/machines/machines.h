// Readers of what tells of machines alone: their GPUs, hosts and nodes.
#pragma once

#include <string>
#include <string_view>

#include "launch/findings/findings.h"

namespace loadfactor::config {
struct Node;
}  // namespace loadfactor::config

namespace loadfactor::launch {

// A part of a GPU that batch systems hand out: `1g.10gb`, `nvidia_a100_3g.20gb`.
bool is_slice(std::string_view type);
// The partition that a job of Slurm asks for.
inline constexpr std::string_view kPartition = "partition";
// A kind of GPU as batch systems name it: `a100`, `nvidia_h100_80gb_hbm3`, `1g.10gb`.
void read_gpu_type(const std::string& type, const Place& place, Findings& findings);

// What tools print: `nvidia-smi -L`, `nvidia-smi`, `nvidia-smi topo -m`, `scontrol show nodes`.
void read_device_list(const Source& source, Findings& findings);
void read_device_table(const Source& source, Findings& findings);
void read_topology(const Source& source, Findings& findings);
void read_node_list(const Source& source, Findings& findings);

// The hosts of DeepSpeed and of MPI: `node-01 slots=8`.
bool looks_like_hosts(const Source& source);
void read_hosts(const Source& source, Findings& findings);
// What DeepSpeed's launcher takes or leaves of them, `w1:0,1@w3`, and the slots of each host.
inline constexpr const char* kIncludedHosts = "hosts.included";
inline constexpr const char* kExcludedHosts = "hosts.excluded";
inline constexpr std::string_view kHostSlots = "slots.";
void choose_hosts(Findings& findings);

// The GPU that a pod asks for by labels of nodes, in a selector or an affinity.
void read_node_labels(const Source& source, const config::Node& pod, Findings& findings);

}  // namespace loadfactor::launch
