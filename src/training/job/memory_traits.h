// What a training stack keeps in device memory: the `memory:` block of a file of data/stacks.
//
// Every column is a tensor, a buffer or a width somebody can find in the source of the stack.
// A wrong or missing column costs 10 to 30 % of the answer; docs/models/memory.md says where
// each comes from.
#pragma once

#include <cstdint>

#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::training {

// Bytes per parameter before any sharding.
struct StateWidths {
  double weight = 2;          // Resident between steps. 4 where the fp32 master is the parameter.
  double gradient = 4;        // Accumulated over micro-batches.
  double optimizer = 12;      // Master copy and moments.
  double shard_gradient = 0;  // A second, fp32 gradient of the optimizer's shard alone.

  friend bool operator==(const StateWidths&, const StateWidths&) = default;
};

// What the stack offers, least first, when a job does not fit without recomputation.
enum class RecomputeLadder : std::uint8_t {
  kModules,  // Attention or latent up-projection, norms and activations, MLP or experts, layers.
  kLayers,   // None, so many layers, all layers.
  kHost,     // As kLayers; then the inputs of all layers move to the host.
};

struct MemoryTraits {
  StateWidths state;
  StateWidths state_fp16;  // The same where products run in fp16 (loss scaling keeps other copies).

  // Bytes per logit at the worst moment of the loss, and the same where the loss runs on
  // vocabulary shards. 0: the logits are never whole (chunked loss).
  double loss = 4;
  double loss_tp = 4;
  bool head_gradient_at_loss = false;  // Allocated while all activations are still held.
  double late_gradient = 0;            // Bytes per parameter that appear during backward only.

  double norm_copies = 0;        // Bytes per element beside the output of an RMS norm.
  double gate_copies = 0;        // 16-bit copies of the width kept by an unfused gate.
  bool rotary_copies = false;    // Rotated query and key beside the packed projection.
  bool dropout_masks = false;    // One byte per element of each dropout.
  bool narrow_inputs = false;    // Inputs of 8- and 4-bit products are kept at that width.
  bool narrow_gate = false;      // So are the inputs of the gates between them.
  bool in_place_gate = false;    // Backward of the activation overwrites its input.
  bool expert_output = false;    // Kept for the gradient of the router's probabilities.
  bool stage_outputs = false;    // The pipeline engine keeps what each micro-batch sent on.
  bool dummy_gradients = false;  // One 16-bit buffer per distinct shape of weight.

  // Fully sharded parameters: widths of a gathered weight and of a gradient before it is
  // reduced, layers gathered at once, and bytes per parameter of gradients that accumulate
  // unsharded when a pipeline runs on top.
  double gathered_weight = 2;
  double gathered_gradient = 4;
  int gathered_layers = 2;
  double pipeline_gradient = 0;

  Bytes buckets;     // Fixed communication buckets.
  Bytes driver;      // What the driver counts but a program never sees.
  double slack = 0;  // Reserved over allocated, less one.
  Bytes context;     // Device context, libraries and communicators.
  RecomputeLadder ladder = RecomputeLadder::kLayers;
  catalog::Provenance provenance;
};

}  // namespace loadfactor::training
