// What a search may keep of a memory plan.
//
// plan_memory() makes these calls and no other; each is a pure function of the fields named here
// and of the question's model, stack, sequence, precision, trained share and imbalance, so that a
// kept piece gives the same bytes as a fresh one:
//
//   block  = memory_block(question)          tp, cp, ep, etp, micro_batch, sequence_parallel and
//                                            recompute without layers_per_stage; under a
//                                            whole-program compiler also dp
//   shapes = find_stage_shapes(question)     pp, vp, schedule, micro_batches
//   stages = memory_stages(question, block,  beside these recompute.layers_per_stage, and of
//                          shapes)           offload what it says of activations
//   plan   = finish_memory(question, stages) everything; tens of nanoseconds per stage
#pragma once

#include <array>
#include <cstddef>

#include "training/memory/memory_plan.h"
#include "training/memory/memory_plan_layer.h"
#include "training/memory/memory_plan_stages.h"
#include "workload/layer_weights.h"

namespace loadfactor::training {

// One layer of every kind, and what stands before the first and behind the last one.
struct MemoryBlock {
  std::array<LayerParameters, kMostKinds> parameters{};
  std::array<LayerActivations, kMostKinds> activations{};
  workload::EndWeights ends;
  double table = 0;  // Weights of one vocabulary table, before ranks share it.
};
MemoryBlock memory_block(const MemoryQuestion& question);

// Parameters on one rank, by the replicas they can be shared with.
struct StageParameters {
  double dense = 0;  // Layers, without embedding and head.
  double experts = 0;
  double table = 0;   // Embedding or head, one of them.
  int tables = 0;     // How many of them this rank holds.
  double widest = 0;  // The largest layer.
  double shapes = 0;  // Elements of one weight of each distinct shape.

  double total() const { return dense + experts + tables * table; }
};

// Bytes of one micro-batch on one rank.
struct StageActivations {
  SavedBytes kept{};  // What all layers of the stage keep on the device.
  Bytes kept_total;
  Bytes offloaded;      // What they keep on the host.
  SavedBytes widest{};  // The layer that holds most in its backward pass, alone.
  Bytes widest_total;
  Bytes widest_redone;  // What that layer computes again.
  Bytes recomputed;     // The most that any layer computes again.
  Bytes transient;      // The most that lives beside a layer in backward.
  Bytes inputs;         // Token ids and the like, beside the layers' activations.
  Bytes logits;         // What the last stage holds at the loss.
};

struct MemoryStage {
  int rank = 0;
  int layers = 0;
  double in_flight = 1;
  bool last = false;
  StageParameters parameters;
  StageActivations activations;
};

struct MemoryStages {
  std::array<MemoryStage, MemoryPlan::kMostStages> stages{};
  std::size_t count = 0;
};
MemoryStages memory_stages(const MemoryQuestion& question, const MemoryBlock& block,
                           const StageShapes& shapes);
// Makes them those of another question, which differs in what it offloads of activations.
void set_kept(const MemoryQuestion& question, const MemoryBlock& block, const StageShapes& shapes,
              MemoryStages& stages);

// One stage that stands for all: the mean of the parameters that the ranks hold, without embedding
// and head, and no activations. What memory_need() finds for it is never more than it finds for any
// schedule, recomputation, number of chunks and split of the layers over as many ranks: the fullest
// rank holds as much as the mean one.
MemoryStages least_stages(const MemoryQuestion& question, const MemoryBlock& block);

MemoryPlan finish_memory(const MemoryQuestion& question, const MemoryStages& stages);

// The two halves of what a stage holds at its peak. State and buffers depend on its parameters and
// on everything that the layout says of sharding and of offloads but those of activations.
StageMemory state_of(const MemoryQuestion& question, const MemoryStage& stage);
// What lives at the peak beside them depends on activations and parameters too, and of the sharding
// on whether parameters are gathered. One for each stage.
std::array<StageMemory, MemoryPlan::kMostStages> moments_of(const MemoryQuestion& question,
                                                            const MemoryStages& stages);

// What is needed of a device where its fullest rank has allocated so much, and what comes of it.
Bytes needed_for(const MemoryQuestion& question, Bytes allocated);
Verdict verdict_of(const MemoryQuestion& question, Bytes needed, Bytes host);

// The figures of the plan of finish_memory() that a search needs.
struct MemoryNeed {
  Bytes needed;
  Bytes host;  // The most that any rank keeps there.
  Verdict verdict = Verdict::kNotAsked;
};
MemoryNeed memory_need(const MemoryQuestion& question, const MemoryStages& stages);

}  // namespace loadfactor::training
