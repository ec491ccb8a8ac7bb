// How long a pipeline takes, counted in whole ticks.
//
// With whole numbers every sum is exact, so a pipeline that does the same as before, some ticks
// later, is known to do so for good: its state after one round decides the next. What repeats
// itself is multiplied and not walked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "loadfactor/quantity.h"
#include "training/step/pipeline_events.h"
#include "training/step/pipeline_order.h"
#include "training/step/pipeline_two_stage.h"

namespace loadfactor::training {

using Ticks = std::int64_t;

struct StageTicks {
  Ticks forward = 0;
  Ticks input_gradient = 0;
  Ticks weight_gradient = 0;
};

// Arrays that grow and are used again.
struct TickScratch {
  std::vector<StageTicks> stages;
  std::vector<Ticks> forward;
  std::vector<Ticks> free;
  std::vector<Ticks> ends;
  std::vector<Ticks> passes;
  std::vector<Ticks> flat;  // Times by stage and pass.
};

// A power of two of seconds: nothing is rounded but the times of the stages.
struct TickUnit {
  int exponent = 0;  // A tick is 2^exponent seconds.

  Seconds seconds(Ticks ticks) const;
};

// The times of the stages in the finest ticks that cannot overflow.
TickUnit set_ticks(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                   std::vector<StageTicks>& out);

// The makespan of k1F1B and kZeroBubble, of the stages in `scratch`.
Ticks alternate_ticks(const PipelineForm& form, TickScratch& scratch);

// The makespan of kZeroBubbleV and kDualPipe.
Ticks walk_ticks(const LinkedOrder& order, int ranks, TickScratch& scratch);

// A task of an order with the places of its times: a pass of a micro-batch on a stage has one
// place, and one for each rank stands for when the rank is free.
struct LinkedTask {
  std::int32_t to = 0;        // Where its end is written, which later passes may wait for.
  std::int32_t from = 0;      // The place it waits for beside its rank,
  std::int32_t has_from = 0;  // and whether there is one: -1, or 0.
  std::int16_t rank = 0;
  std::int16_t time = 0;  // Which of the stages' times it takes.
};

// An order in this shape.
struct LinkedCycle {
  std::vector<LinkedTask> tasks;
  std::int64_t micro_batches = 0;
  std::size_t cycle_begin = 0;
  std::size_t cycle_end = 0;
  std::int64_t shift = 0;
  int span = 1;

  bool serves(std::int64_t count) const { return can_serve(micro_batches, shift, count); }
};
LinkedCycle link(const PipelineForm& form, const CyclicOrder& order);

// The makespan of any order that serves the form's micro-batches.
Ticks walk_ticks(const PipelineForm& form, const LinkedCycle& order, TickScratch& scratch);

}  // namespace loadfactor::training
