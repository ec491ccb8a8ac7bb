// One training job, complete: what is trained, on what, spread how, by which software.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/dtype.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "training/job/host_bus.h"
#include "training/job/layout.h"
#include "training/job/part.h"
#include "training/job/stack_traits.h"

namespace loadfactor::training {

// Gradients that lose something on their way.
enum class Compression : std::uint8_t {
  kNone,
  kPowerSgd,  // Two factors of a low rank for each matrix.
  kOneBit,    // Signs, and a scale for each chunk.
};

struct Precision {
  catalog::Dtype compute = catalog::Dtype::kBf16;  // Format of the layers' matrix products.
  bool row_wise = false;         // fp8 scaled per row: its GEMM kernels are slower.
  bool block_wise = false;       // fp8 scaled per block of elements.
  bool pure = false;             // Parameters, gradients and optimizer state all in 16 bit.
  bool short_gradients = false;  // Gradients in 16 bit; fp32 in the optimizer's shard only.
  bool short_moments = false;    // Both moments of the optimizer in 16 bit.
  double wire_gradient = 0;      // Bytes per gradient element on the wire; 0: as the stack does.
  double frozen_weight = 0;      // Bytes of a weight that is not trained; 0: those of the others.
  double kept_input = 0;         // Bytes of an input kept for the backward pass; 0: as the stack.
  Compression compression = Compression::kNone;
  int compression_rank = 4;
};

// How tokens are dealt to experts.
struct ExpertRouting {
  double imbalance = 1.0;       // Tokens of the busiest expert rank over the mean, on average.
  double spread = 0;            // Standard deviation of its logarithm over layers and steps.
  double capacity = 0;          // Tokens that an expert takes over the mean; 0: all that come.
  bool padded = false;          // Experts are filled up to their capacity.
  double dispatched_bytes = 2;  // An element on its way to an expert; it comes back in 16 bit.

  // What the busiest rank computes over the mean: tokens beyond the capacity are dropped.
  double busiest(double at_least = 1.0) const;
  // What it must have room for: more than 99 of 100 layers send it.
  double room() const;
  // The share of the busiest rank's tokens that are dropped.
  double dropped() const;
};

// What the machine has where it differs from the catalogue's accelerator; empty: as catalogued.
struct FabricOverride {
  std::optional<BytesPerSecond> scale_out;  // Per GPU, one direction.
  std::optional<int> gpus_per_node;
  std::optional<int> scale_up_domain;
  std::optional<BytesPerSecond> offload;  // Per GPU, to the host or CXL memory that state moves to.
  std::optional<HostBus> bus;             // Nothing: links join all that one host has.
  int host_gpus = 0;              // GPUs that share one host's memory and its links; 0: not known.
  Bytes host_memory;              // What that host has for all of them; 0: not known.
  BytesPerSecond host_bandwidth;  // That memory's, for all of them; 0: not known.
  std::optional<BytesPerSecond> host_share;  // Per GPU, of the link to that host, while all move.
  // Beyond so many GPUs the network is thinner, by so much; 0: nowhere.
  int leaf_gpus = 0;
  double oversubscription = 1;
  // What a transport reaches of the line rate over what NICs that read GPU memory do, and what each
  // step of a collective takes longer.
  double transport_share = 1;
  Seconds transport_latency;
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
  double trainable_share = 1.0;  // Trained parameters over all; the rest is frozen (LoRA).
  bool adapts_mlp = false;       // Adapters stand beside the products of the MLP, too.
  double adapted_widths = 0;     // Inputs and outputs of all products with adapters, of one token.
  ExpertRouting routing;
  bool learned_routing = false;  // Routing as learned: as uneven as the calibration says.
  bool step_alone = false;       // Timed without a trainer: no data, clipping, logging.
  int year = 0;                  // The year of the software; 0: not known.
  TokensPerSecond loader;        // What feeds the whole job; 0: never the limit.
  PartFactors measured;          // What a site measured on this machine.
};

}  // namespace loadfactor::training
