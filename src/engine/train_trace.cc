// One step as events on the stages of its pipeline.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/train_answer.h"
#include "training/layer_time.h"
#include "training/machine.h"
#include "training/pipeline_events.h"

namespace loadfactor::engine {
namespace {

using training::ChunkTimes;
using training::Part;
using training::Pass;
using training::PassTimes;

// More would not open in a viewer.
constexpr std::int64_t kMostEvents = 400'000;

struct MicroBatchTimes {
  PassTimes layer;  // Mean over the layers.
  PassTimes embedding;
  PassTimes head;
};

MicroBatchTimes micro_batch_times(const TrainSetup& setup, const training::TrainingJob& job) {
  const auto& family = setup.calibration.families[setup.chip_constants->family];
  const auto machine =
      training::make_machine(job, setup.calibration.shared, *setup.chip_constants, family);
  training::KernelContext context;
  context.machine = &machine;
  context.constants = &setup.calibration.shared;
  context.stack = job.stack;
  context.precision = job.precision;
  context.width = training::width_of(job.precision.compute);
  context.frozen = job.trainable_share < 1.0;
  MicroBatchTimes times;
  const auto& layers = job.model->layers;
  for (std::size_t kind = 0; kind < job.model->kinds.size(); ++kind) {
    const auto count = static_cast<double>(std::count(layers.begin(), layers.end(), kind));
    if (count == 0) continue;
    const auto one = training::layer_time(job, context, job.model->kinds[kind]);
    times.layer +=
        PassTimes{one.forward(), one.backward()} * (count / static_cast<double>(layers.size()));
  }
  const auto head = training::head_time(job, context);
  times.embedding = head.embedding;
  times.head = head.gemm;
  times.head += head.loss;
  return times;
}

// Layers of every virtual stage; where they do not divide, the last and then the first have one
// less, for they hold the head and the embedding; what is still over is spread.
std::vector<int> layers_of_stages(int layers, int stages) {
  std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
  int rest = layers % stages;
  for (std::size_t i = 1; i + 1 < counts.size() && rest > 0; ++i, --rest) ++counts[i];
  if (rest > 0) ++counts.front();
  return counts;
}

training::PipelineShape shape_of(const TrainSetup& setup, const ChosenLayout& chosen) {
  const auto& job = chosen.job;
  const MicroBatchTimes times = micro_batch_times(setup, job);
  training::PipelineShape shape;
  shape.ranks = job.layout.pp;
  shape.schedule = job.layout.schedule;
  if (job.layout.schedule == training::Schedule::kInterleaved) shape.chunks = job.layout.vp;
  shape.micro_batches = job.global_batch / (job.layout.micro_batch * job.layout.dp);
  const int stages = shape.ranks * shape.chunks;
  const auto layers = layers_of_stages(job.model->num_layers(), stages);
  for (int stage = 0; stage < stages; ++stage) {
    PassTimes pass = times.layer * layers[static_cast<std::size_t>(stage)];
    if (stage == 0) pass += times.embedding;
    if (stage + 1 == stages) pass += times.head;
    // Of a backward pass half goes to the gradient of the weights.
    shape.times.push_back({pass.forward, pass.backward * 0.5, pass.backward * 0.5});
  }
  return shape;
}

std::string name_of(const training::PipelineEvent& event, int chunks) {
  constexpr const char* kLetters = "FBW";
  const char letter = kLetters[static_cast<std::size_t>(event.pass)];
  if (chunks == 1) return fmt::format("{}{}", letter, event.micro_batch);
  return fmt::format("{}{}.{}", letter, event.micro_batch, event.chunk);
}

std::string kind_of(Pass pass) {
  if (pass == Pass::kForward) return "forward";
  return pass == Pass::kBackward ? "backward" : "weight gradient";
}

// What follows the pipeline, on every stage alike.
void add_tail(const ChosenLayout& chosen, Seconds start, TrainAnswer& answer) {
  struct Row {
    Part part;
    const char* name;
    const char* kind;
  };
  constexpr Row kRows[] = {{Part::kDp, "gradient reduction, not hidden", "dp"},
                           {Part::kOptimizer, "optimizer", "optimizer"},
                           {Part::kStraggler, "waiting for the slowest host", "straggler"}};
  for (const auto& row : kRows) {
    const Seconds duration = chosen.time[row.part];
    if (duration <= Seconds()) continue;
    for (int rank = 0; rank < chosen.job.layout.pp; ++rank)
      answer.trace.push_back({rank, row.name, row.kind, -1, 0, start, duration});
    start += duration;
  }
}

}  // namespace

void add_trace(const TrainSetup& setup, const ChosenLayout& chosen, TrainAnswer& answer) {
  const auto shape = shape_of(setup, chosen);
  if (shape.micro_batches * shape.ranks * shape.chunks * 3 > kMostEvents) {
    answer.notices.push_back({"trace-too-long", Severity::kCaution,
                              "a step has too many events to draw: no trace was made"});
    return;
  }
  const auto run = training::run_pipeline(shape);
  const Seconds tail =
      chosen.time[Part::kDp] + chosen.time[Part::kOptimizer] + chosen.time[Part::kStraggler];
  const Seconds pipeline = chosen.time.total() - tail;
  answer.trace_stretch = pipeline / run.makespan;
  for (const auto& event : run.events) {
    answer.trace.push_back({event.rank, name_of(event, shape.chunks), kind_of(event.pass),
                            event.micro_batch, event.chunk, event.start * answer.trace_stretch,
                            (event.end - event.start) * answer.trace_stretch});
  }
  add_tail(chosen, pipeline, answer);
}

}  // namespace loadfactor::engine
