// One layer and the head on one rank, for one micro-batch: the expensive part of a step.
//
// A block depends on the scene and on its key alone, whatever else the layout says, so a search
// may keep it: block_time() of equal keys gives equal bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "training/layer_time.h"
#include "training/memory_plan_stages.h"
#include "training/pipeline_events.h"
#include "training/step_scene.h"

namespace loadfactor::training {

struct BlockKey {
  int tp = 1;
  int cp = 1;
  int ep = 1;
  int etp = 1;
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
  Seconds occupied;         // Of each pass, by its send and receive.
  Seconds occupied_chunks;  // The same where a rank holds several chunks.
  Bytes kept;               // Of one layer for its backward pass, mean over the layers,
  Bytes input;              // and of that its input.
  double again = 0;         // Share of the forward work that is done twice.
};
BlockTime block_time(const StepScene& scene, const BlockKey& key);

// While the device computes logits and loss, the host launches ahead: what `layers` layers in front
// of them then wait less for it on their way back.
Seconds caught_up(const BlockTime& block, int layers);

}  // namespace loadfactor::training
