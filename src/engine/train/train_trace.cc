// One step as events on the stages of its pipeline.
#include <cstdint>
#include <vector>

#include "engine/train/train_answer.h"
#include "training/step/pipeline_events.h"
#include "training/step/step_time.h"

namespace loadfactor::engine {
namespace {

using training::Part;
using training::Pass;

// More would not open in a viewer.
constexpr std::int64_t kMostEvents = 400'000;

// The very pipeline whose makespan the step is made of.
training::PipelineShape shape_of(const TrainSetup& setup, const ChosenLayout& chosen) {
  const auto& job = chosen.job;
  const auto scene = scene_of(setup, job);
  const auto block = training::block_time(scene, training::block_key(scene, job.layout));
  const auto key =
      training::pipeline_key(job.layout, training::micro_batches(job.global_batch, job.layout),
                             training::gather_time(scene, block, job.layout));
  const auto form = training::pipeline_form(scene, key);
  training::PipelineShape shape;
  shape.ranks = form.ranks;
  shape.chunks = form.chunks;
  shape.micro_batches = form.micro_batches;
  shape.schedule = form.schedule;
  training::set_stage_times(scene, block, key, form, shape.times);
  return shape;
}

TraceSpan::Kind kind_of(Pass pass) {
  if (pass == Pass::kForward) return TraceSpan::Kind::kForward;
  return pass == Pass::kBackward ? TraceSpan::Kind::kBackward : TraceSpan::Kind::kWeightGradient;
}

// What follows the pipeline, on every stage alike.
void add_tail(const ChosenLayout& chosen, Seconds start, TrainAnswer& answer) {
  struct Row {
    Part part;
    TraceSpan::Kind kind;
  };
  constexpr Row kRows[] = {{Part::kDp, TraceSpan::Kind::kGradientReduction},
                           {Part::kOptimizer, TraceSpan::Kind::kOptimizer},
                           {Part::kStraggler, TraceSpan::Kind::kStraggler}};
  for (const auto& row : kRows) {
    const Seconds duration = chosen.time[row.part];
    if (duration <= Seconds()) continue;
    for (int rank = 0; rank < chosen.job.layout.pp; ++rank)
      answer.trace.push_back({rank, row.kind, -1, 0, start, duration});
    start += duration;
  }
}

}  // namespace

void add_trace(const TrainSetup& setup, const ChosenLayout& chosen, TrainAnswer& answer) {
  const auto shape = shape_of(setup, chosen);
  if (shape.micro_batches * shape.ranks * shape.chunks * 3 > kMostEvents) {
    answer.notices.push_back({.id = "trace-too-long"});
    return;
  }
  const auto run = training::run_pipeline(shape);
  const Seconds tail =
      chosen.time[Part::kDp] + chosen.time[Part::kOptimizer] + chosen.time[Part::kStraggler];
  const Seconds pipeline = chosen.time.total() - tail;
  answer.trace_chunks = shape.chunks;
  answer.trace_stretch = pipeline / run.makespan;
  for (const auto& event : run.events) {
    answer.trace.push_back({event.rank, kind_of(event.pass), event.micro_batch, event.chunk,
                            event.start * answer.trace_stretch,
                            (event.end - event.start) * answer.trace_stretch});
  }
  add_tail(chosen, pipeline, answer);
}

}  // namespace loadfactor::engine
