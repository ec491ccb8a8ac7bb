// When each stage of a pipeline works on each micro-batch: an exact recurrence, no simulation.
//
// Every rank runs its passes in the order its schedule prescribes; a pass starts when the rank is
// free and what it needs has arrived. Stages may differ in their times. O(ranks · micro-batches ·
// chunks).
#pragma once

#include <cstdint>
#include <vector>

#include "loadfactor/quantity.h"
#include "training/job/layout.h"
#include "training/step/pipeline_order.h"

namespace loadfactor::training {

// One micro-batch on one virtual stage.
struct ChunkTimes {
  Seconds forward;
  Seconds input_gradient;  // Includes recomputation.
  Seconds weight_gradient;
};

struct PipelineShape {
  int ranks = 1;
  int chunks = 1;  // Virtual stages per rank: any number under kInterleaved, two under ZBV.
  std::int64_t micro_batches = 1;
  Schedule schedule = Schedule::k1F1B;
  std::vector<ChunkTimes> times;  // One per virtual stage, ranks · chunks in all.
  Seconds send;                   // From one stage to the next.

  PipelineForm form() const { return {schedule, ranks, chunks, micro_batches}; }
};

struct PipelineEvent {
  int rank = 0;
  int chunk = 0;
  std::int64_t micro_batch = 0;
  Pass pass = Pass::kForward;
  Seconds start;
  Seconds end;
};

struct PipelineRun {
  std::vector<PipelineEvent> events;  // Each rank's in the order it runs them.
  Seconds makespan;
};

// kNone and one rank run forward and backward in turn.
PipelineRun run_pipeline(const PipelineShape& shape);

}  // namespace loadfactor::training
