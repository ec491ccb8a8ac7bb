// What a node's host must have beside its accelerators.
#pragma once

#include <cstdint>

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

struct HostAsk {
  int gpus = 8;
  Bytes gpu_memory;           // Of one GPU.
  Bytes parameters;           // The weights of the model, as stored.
  double nodes = 1;           // That share one model.
  Bytes checkpoint;           // Of the whole job.
  Seconds checkpoint_within;  // How long a write may take.
  BytesPerSecond drive;       // One NVMe drive, writing.
  double checkpoints_kept = 1;
  TokensPerSecond tokens;  // Trained by one node.
  Bytes per_token;         // As stored.
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
  BytesPerSecond checkpoint_bandwidth;  // Of one node.
  BytesPerSecond loading;               // Of training data, one node.
  int nics = 0;
};

HostSize size_host(const HostAsk& ask, const HostRules& rules);

}  // namespace loadfactor::facility
