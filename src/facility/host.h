// What a node's host must have beside its accelerators.
#pragma once

#include <cstdint>

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

struct HostQuestion {
  int gpus = 8;
  Bytes gpu_memory;           // Memory of one GPU.
  Bytes parameters;           // The weights of the model, as stored.
  double nodes = 1;           // Nodes that share one model.
  Bytes checkpoint;           // Size of a checkpoint of the whole job.
  Seconds checkpoint_within;  // How long a write may take.
  BytesPerSecond drive;       // Write rate of one NVMe drive.
  double checkpoints_kept = 1;
  TokensPerSecond tokens;  // Training rate of one node.
  Bytes per_token;         // Bytes of a token as stored.
};

// Rules that the host is sized by, from the catalogue.
struct HostRules {
  int cores_per_gpu = 0;           // Loaders, runtime, communication.
  double memory_over_gpus = 0;     // Host memory over all GPU memory.
  double memory_over_weights = 0;  // Host memory over the weights of one model.
  int nics = 0;                    // For traffic between nodes and for storage.
};

struct HostSize {
  int cores = 0;
  Bytes memory;
  int drives = 0;
  Bytes nvme;
  BytesPerSecond checkpoint_bandwidth;  // Write rate of one node.
  BytesPerSecond loading;               // Rate at which one node reads training data.
  int nics = 0;
};

HostSize size_host(const HostQuestion& ask, const HostRules& rules);

}  // namespace loadfactor::facility
