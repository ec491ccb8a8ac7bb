// The time of one training step, and where it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loadfactor/quantity.h"
#include "training/block_time.h"
#include "training/constants.h"
#include "training/job.h"
#include "training/part.h"
#include "training/pipeline_time.h"
#include "training/step_scene.h"

namespace loadfactor::training {

// The parts sum to the step exactly: total() is their sum.
struct StepTime {
  std::array<Seconds, kNumParts> parts{};
  Flops model_work;     // Of one step on all chips, as MFU counts it: no recomputation.
  Flops hardware_work;  // With it.

  Seconds& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  Seconds operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
  Seconds total() const;
};

// A step is put together from pieces that a search may keep. Each is a pure function of its
// arguments and of nothing else, so a kept piece gives the same bytes as a fresh one:
//
//   scene    = make_scene(job, ...)                           per model, chip, software, GPU count
//   block    = block_time(scene, block_key(scene, layout))    per tp, cp, ep, etp, micro-batch,
//                                                             recomputation: microseconds
//   gather   = gather_time(scene, block, layout)              zero unless parameters are sharded
//   pipeline = pipeline_time(scene, block, pipeline_key(...)) per pp, vp, schedule, micro-batches
//   step     = finish_step(scene, block, pipeline, question)  all the rest: tens of nanoseconds
//
// step_time() makes these five calls and no other.

// What is left to say when block and pipeline are known.
struct StepQuestion {
  Layout layout;
  std::int64_t global_batch = 0;
};
StepTime finish_step(const StepScene& scene, const BlockTime& block, const PipelineTime& pipeline,
                     const StepQuestion& question);

// Never more than the total of any step with this block and pipeline, whatever its sharding,
// offload and replicas; for batches that divide.
Seconds least_step(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                   PipelineWorkspace& workspace);

// The job must be legal (see check_layout).
StepTime step_time(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                   const KernelFamily& family);
// The same with a workspace of the caller's; allocates nothing once that has grown.
StepTime step_time(const StepScene& scene, const StepQuestion& question,
                   PipelineWorkspace& workspace);

}  // namespace loadfactor::training
