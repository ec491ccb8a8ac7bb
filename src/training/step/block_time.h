// One layer and the head on one rank, for one micro-batch: the expensive part of a step.
//
// A block depends on the scene and on its key alone, whatever else the layout says, so a search
// may keep it: block_time() of equal keys gives equal bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/memory/memory_plan_stages.h"
#include "training/step/layer_time.h"
#include "training/step/pipeline_events.h"
#include "training/step/step_scene.h"

namespace loadfactor::training {

struct BlockKey {
  std::array<int, kDegrees.size()> degrees{};  // Those that cut no block are 0.
  std::int64_t micro_batch = 1;
  bool sequence_parallel = false;
  bool two_directions = false;  // A second micro-batch hides the expert exchange (DualPipe).
  Recompute recompute;          // Its layers_per_stage is 0: see `recomputed`.
  double recomputed = 1;        // Share of the layers that full recomputation covers.

  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};
BlockKey block_key(const StepScene& scene, const Layout& layout);

struct BlockTime {
  BlockKey key;
  LayerTime layer;  // Mean over the layers.
  HeadTime head;
  std::array<ChunkTimes, kMostKinds> kinds{};  // Whole layers, kind by kind.
  ChunkTimes embedding;
  ChunkTimes tail;          // Last norm, logits and loss, as often as the head runs.
  Seconds hop;              // One activation from a stage to the next.
  Seconds occupied;         // What send and receive add to each pass.
  Seconds occupied_chunks;  // The same where a rank holds several chunks.
  Bytes kept;               // What a layer keeps for its backward pass, mean over the layers.
  Bytes input;              // The part of `kept` that is the layer's input.
  double again = 0;         // Share of the forward work that is done twice.
};
BlockTime block_time(const StepScene& scene, const BlockKey& key);

// The part of a block that no recomputation changes, and most of what it takes to compute one.
struct BlockKernels {
  BlockKey key;                  // Without recomputation.
  std::vector<LayerTime> kinds;  // One for each kind of layer.
  HeadTime head;
};
BlockKey without_recompute(BlockKey key);
BlockKernels block_kernels(const StepScene& scene, const BlockKey& key);

// The part of those that keys share which differ in sequence parallelism and direction alone.
struct BlockWork {
  std::vector<LayerWork> kinds;
  HeadTime head;
};
BlockWork block_work(const StepScene& scene, const BlockKey& key);
BlockKernels block_kernels(const StepScene& scene, const BlockKey& key, const BlockWork& work);

// The same as block_time() of this key; the kernels are those of the key without recomputation.
BlockTime block_time(const StepScene& scene, const BlockKernels& kernels, const BlockKey& key);

// While the device computes logits and loss, the host launches ahead: what `layers` layers in front
// of them then wait less for it on their way back.
Seconds caught_up(const BlockTime& block, int layers);

}  // namespace loadfactor::training
