// How long a pipeline takes from its first forward to its last gradient: exact, and fast enough
// for a search.
//
// The makespan is that of run_pipeline() on the same stage times. It is a closed form where that
// is proven to be exact, a recurrence over the ranks for 1F1B and ZB-H1, and else a walk over the
// planned order of the passes, which a workspace keeps. Both count in whole ticks, so that a
// pipeline is seen to repeat itself and the repetitions are added up at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "training/step/block_time.h"
#include "training/step/pipeline_events.h"
#include "training/step/pipeline_order.h"
#include "training/step/pipeline_ticks.h"
#include "training/step/step_scene.h"

namespace loadfactor::training {

// Gathering and scattering of one layer's parameters that full sharding leaves uncovered.
struct GatherTime {
  Seconds forward;  // Per layer and micro-batch.
  Seconds backward;
  Seconds table;  // The vocabulary table, per micro-batch.

  friend bool operator==(const GatherTime&, const GatherTime&) = default;
};
// Zero unless the layout shards its parameters.
GatherTime gather_time(const StepScene& scene, const BlockTime& block, const Layout& layout);

// What a pipeline depends on beside its scene and its block. Without full sharding this is
// pp, vp, the ends, the schedule and the number of micro-batches: one pipeline serves every choice
// of optimizer sharding and offload.
struct PipelineKey {
  int pp = 1;
  int vp = 1;
  int first_layers = 0;  // As in Layout.
  int last_layers = 0;
  Schedule schedule = Schedule::k1F1B;
  std::int64_t micro_batches = 1;  // A broken number is rounded.
  GatherTime gather;

  friend bool operator==(const PipelineKey&, const PipelineKey&) = default;
};
PipelineKey pipeline_key(const Layout& layout, double micro_batches, const GatherTime& gather);

// All zero without a pipeline.
struct PipelineTime {
  Seconds makespan;  // Includes the time that sends occupy, not the first and last latencies.
  Seconds mean;      // Work of a rank on one micro-batch, mean over the ranks.
  Seconds slowest;   // The same for the busiest rank.
  Seconds occupied;  // What sends take of a rank, per micro-batch.
  Seconds latency;   // The hops while the pipeline fills and drains.
};

struct StageTimes {
  std::span<const ChunkTimes> chunks;  // One per virtual stage.
  Seconds send;
};

// Arrays that grow and are used again. Not shared between threads; results do not depend on it.
struct PipelineScratch {
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  std::vector<Seconds> free;
};

class PipelineWorkspace {
 public:
  // For as many micro-batches as the form has, with repetitions left out.
  const LinkedCycle& order(const PipelineForm& form);
  // For kZeroBubbleV and kDualPipe.
  const LinkedOrder& linked(const PipelineForm& form);
  std::vector<ChunkTimes> chunks;
  TickScratch ticks;

 private:
  void make_room();

  std::map<PipelineForm, std::vector<LinkedCycle>> orders_;  // Keys have micro_batches 0.
  std::map<PipelineForm, LinkedOrder> linked_;
  std::size_t tasks_ = 0;
};

PipelineTime pipeline_time(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                           PipelineWorkspace& workspace);

// The form of a layout's pipeline; chunks that would stand empty are not formed.
PipelineForm pipeline_form(const StepScene& scene, const PipelineKey& key);
// The times of its virtual stages, sends included. Which layers they hold is said by stage_split.h;
// those of multi-token prediction stand beside the head.
void set_stage_times(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                     const PipelineForm& form, std::vector<ChunkTimes>& out);

// With the lengths that decide the order of kZeroBubbleV and kDualPipe.
PipelineForm with_lengths(const PipelineForm& form, std::span<const ChunkTimes> chunks);

// The makespan by the cheapest exact way.
Seconds makespan(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                 PipelineWorkspace& workspace);

// Bounds must not exceed the true value by rounding.
inline constexpr double kBoundSlack = 1.0 - 1e-12;

// Never more than the makespan: the busiest rank works without a gap, after the first forward
// passes and before the last backward passes of the ranks before it. O(stages).
Seconds least_makespan(const PipelineForm& form, std::span<const ChunkTimes> chunks);

// Walks an order; `visit(task, start, end)` sees every pass.
template <class Visit>
Seconds run_order(const PipelineForm& form, std::span<const PlannedTask> order,
                  const StageTimes& times, PipelineScratch& scratch, const Visit& visit) {
  const auto stages = static_cast<std::size_t>(form.stages());
  const bool split = splits_backward(form.schedule);
  scratch.forward.resize(static_cast<std::size_t>(form.micro_batches) * stages);
  scratch.backward.resize(scratch.forward.size());
  scratch.free.assign(static_cast<std::size_t>(form.ranks), Seconds{});
  Seconds last;
  for (const PlannedTask& task : order) {
    const auto stage = static_cast<std::size_t>(task.stage);
    const std::size_t at = static_cast<std::size_t>(task.micro_batch) * stages + stage;
    const ChunkTimes& chunk = times.chunks[stage];
    Seconds& free = scratch.free[static_cast<std::size_t>(task.rank)];
    Seconds start = free;
    Seconds end;
    if (task.pass == Pass::kForward) {
      if (stage > 0) start = std::max(start, scratch.forward[at - 1] + times.send);
      end = start + chunk.forward;
      scratch.forward[at] = end;
    } else if (task.pass == Pass::kBackward) {
      if (stage + 1 < stages) start = std::max(start, scratch.backward[at + 1] + times.send);
      end = start + chunk.input_gradient;
      if (!split) end = end + chunk.weight_gradient;
      scratch.backward[at] = end;
    } else {
      end = start + chunk.weight_gradient;
    }
    free = end;
    last = std::max(last, end);
    visit(task, start, end);
  }
  return last;
}

}  // namespace loadfactor::training
