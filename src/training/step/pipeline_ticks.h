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
  std::vector<Ticks> backward;
  std::vector<Ticks> free;
  std::vector<Ticks> ends;
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

// The makespan of any order that serves the form's micro-batches.
Ticks walk_ticks(const PipelineForm& form, const CyclicOrder& order, TickScratch& scratch);

}  // namespace loadfactor::training
