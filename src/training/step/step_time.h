// The time of one training step, and where it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loadfactor/quantity.h"
#include "training/job/constants.h"
#include "training/job/job.h"
#include "training/job/part.h"
#include "training/step/block_time.h"
#include "training/step/pipeline_time.h"
#include "training/step/step_scene.h"

namespace loadfactor::training {

// The parts sum to the step exactly: total() is their sum.
struct StepTime {
  std::array<Seconds, kNumParts> parts{};
  Flops model_work;     // One step on all chips as MFU counts it, without recomputation.
  Flops hardware_work;  // The same with recomputation.

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
//   sharing  = sharing_time(scene, block, question)           beside these dp and the sharding
//   step     = finish_step(scene, pieces, question)           all the rest: tens of nanoseconds
//
// step_time() makes these six calls and no other.

// What a step depends on beside its block and pipeline.
struct StepQuestion {
  Layout layout;
  std::int64_t global_batch = 0;
};

// What data-parallel ranks add to a step, as far as nothing hides it.
struct SharingTime {
  Seconds gathers;     // Gathering sharded parameters.
  Seconds reductions;  // Reducing gradients.
};
// The same for every offload of the layout.
SharingTime sharing_time(const StepScene& scene, const BlockTime& block,
                         const StepQuestion& question);

struct StepPieces {
  const BlockTime& block;
  const PipelineTime& pipeline;
  const SharingTime& sharing;
};
StepTime finish_step(const StepScene& scene, const StepPieces& pieces,
                     const StepQuestion& question);

// What steps of the same pieces have in common, whatever they offload: finish_step() adds the rest.
struct CommonParts {
  StepTime time;                    // Without optimizer, offload, stragglers and data.
  Seconds sums;                     // The optimizer's: gradients that join those before,
  std::array<Seconds, 2> update{};  // and the update on the device or on the host.
  // What the host takes to launch the kernels of an update on the device, beyond what it is ahead
  // of the device, whose layers it launches in `launched`.
  Seconds launches;
  Seconds launched;
  bool waits = false;  // The host is never ahead: it waits for the device before the update.
  double micro_batches = 1;
  Seconds fixed;    // What a trainer does once per step.
  Seconds loading;  // What the loader takes for a step; 0: not known.
  // All chips at the datasheet rate of the widest-used format, from the first to the last instant.
  Seconds least;
};
CommonParts common_parts(const StepScene& scene, const StepPieces& pieces,
                         const StepQuestion& question);

// Bounds, for batches that divide. The *work* of a step is what computation, gathers, sends and
// gaps take together; sharing and offload, stragglers, the optimizer and the rest come on top of
// it.

// Never more than the work of any step with this block and pipeline.
Seconds least_pipeline_work(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                            PipelineWorkspace& workspace);
// The same without a look at the pipeline: no rank waits, all have as much to do.
Seconds least_even_work(const StepScene& scene, const BlockTime& block, double micro_batches,
                        int pp);
// The work of a step put together from pieces, where nobody measured its parts.
Seconds work_of(const StepScene& scene, const StepTime& step);

// Never more than the total of any step with at least this work.
Seconds least_total(const StepScene& scene, Seconds work);

// The same for steps of one block and sharding with at least this work, whatever they offload.
class LeastTotals {
 public:
  LeastTotals(const StepScene& scene, const BlockTime& block, const StepQuestion& question,
              Seconds reductions);

  // For steps that offload neither parameters nor activations, and perhaps the optimizer.
  Seconds plain(Seconds work, bool offloads_optimizer) const;
  // For steps with the layout's own offload.
  Seconds total(Seconds work, const Layout& layout) const;

 private:
  const StepScene& scene_;
  const BlockTime& block_;
  Seconds reductions_;
  double micro_batches_;
  double factor_;                  // By how much stragglers lengthen the work.
  std::array<Seconds, 2> on_top_;  // Optimizer on the device or the host, and what is fixed.
};

// The job must be legal (see check_layout).
StepTime step_time(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                   const KernelFamily& family);
// The same with a workspace of the caller's; allocates nothing once that has grown.
StepTime step_time(const StepScene& scene, const StepQuestion& question,
                   PipelineWorkspace& workspace);

}  // namespace loadfactor::training
