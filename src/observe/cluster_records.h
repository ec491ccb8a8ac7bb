// Jobs and nodes as a batch system tells them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadfactor::observe {

enum class JobEnd : std::uint8_t { kRunning, kFinished, kFailed, kPending };

struct JobRecord {
  std::string cluster;  // Where several are told of; may be empty.
  std::string id;
  std::string name;
  std::string user;
  std::string account;
  JobEnd end_state = JobEnd::kFinished;
  double start = 0;  // Seconds since 1970; 0 where it is not told.
  double end = 0;
  std::vector<std::string> nodes;
  int gpus = 0;                // In all.
  int shards = 0;              // Parts of GPUs, beside whole ones; each node says of what size.
  std::optional<double> busy;  // Mean use of its GPUs, where it was collected.
  std::string accelerator;     // As the batch system calls it; may be empty.
};

struct NodeRecord {
  std::string cluster;  // Where several are told of; may be empty.
  std::string name;
  int gpus = 0;
  int shards = 0;                  // Into which its GPUs are divided; 0 where it is not told.
  std::optional<int> gpus_in_use;  // Where it is told.
  std::string accelerator;         // As the batch system calls it; may be empty,
  std::vector<std::string> kinds;  // and that of each GPU where it has several.

  const std::string& kind_of(int gpu) const {
    const auto at = static_cast<std::size_t>(gpu);
    return at < kinds.size() ? kinds[at] : accelerator;
  }
};

}  // namespace loadfactor::observe
