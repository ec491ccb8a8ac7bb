// One training job, complete: what is trained, on what, spread how, by which software.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/dtype.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "training/job/layout.h"
#include "training/job/part.h"
#include "training/job/stack_traits.h"

namespace loadfactor::training {

struct Precision {
  catalog::Dtype compute = catalog::Dtype::kBf16;  // Format of the layers' matrix products.
  bool row_wise = false;         // fp8 scaled per row: its GEMM kernels are slower.
  bool block_wise = false;       // fp8 scaled per block of elements.
  bool pure = false;             // Parameters, gradients and optimizer state all in 16 bit.
  bool short_gradients = false;  // Gradients in 16 bit; fp32 in the optimizer's shard only.
  bool short_moments = false;    // Both moments of the optimizer in 16 bit.
  double wire_gradient = 0;      // Bytes per gradient element on the wire; 0: as the stack does.
  double frozen_weight = 0;      // Bytes of a weight that is not trained; 0: those of the others.
};

// What the machine has where it differs from the catalogue's accelerator; empty: as catalogued.
struct FabricOverride {
  std::optional<BytesPerSecond> scale_out;  // Per GPU, one direction.
  std::optional<int> gpus_per_node;
  std::optional<int> scale_up_domain;
  std::optional<BytesPerSecond> offload;  // Per GPU, to the host or CXL memory that state moves to.
  int host_gpus = 0;  // GPUs that share one host's memory and its links; 0: not known.
  Bytes host_memory;  // What that host has for all of them; 0: not known.
  std::optional<BytesPerSecond> host_share;  // Per GPU, of the link to that host, while all move.
  int slices = 1;  // Separate scale-up islands (TPU slices), joined over the data-centre network.
};

struct TrainingJob {
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const StackTraits* stack = nullptr;
  FabricOverride fabric;
  Layout layout;
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;  // Sequences.
  Precision precision;
  double trainable_share = 1.0;   // Trained parameters over all; the rest is frozen (LoRA).
  double expert_imbalance = 1.0;  // Tokens of the busiest expert rank over the mean.
  bool learned_routing = false;   // Routing as learned: as uneven as the calibration says.
  bool step_alone = false;        // Timed without a trainer: no data, clipping, logging.
  int year = 0;                   // The year of the software; 0: not known.
  TokensPerSecond loader;         // What feeds the whole job; 0: never the limit.
  PartFactors measured;           // What a site measured on this machine.
};

}  // namespace loadfactor::training
