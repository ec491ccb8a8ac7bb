#include "engine/train/run_stages.h"

#include <utility>

#include "engine/train/search_machines.h"
#include "engine/train/train_answer.h"

namespace loadfactor::engine {
namespace {

// What another length of sequences may change.
config::Layout open_degrees(config::Layout layout) {
  layout.tp.reset();
  layout.pp.reset();
  layout.vp.reset();
  layout.cp.reset();
  layout.ep.reset();
  layout.etp.reset();
  layout.dp.reset();
  layout.first_layers.reset();
  layout.last_layers.reset();
  layout.shard_group.reset();
  layout.micro_batch.reset();
  layout.schedule.reset();
  layout.recompute.reset();
  layout.recompute_modules.clear();
  layout.recompute_layers = 0;
  layout.offload_layers.reset();
  return layout;
}

// The run as if the stage were all of it.
TrainSetup setup_of(const TrainSetup& whole, const config::StageSection& stage) {
  TrainSetup setup = whole;
  config::TrainSection& ask = *setup.scenario.train;
  ask.sequence = stage.sequence;
  ask.tokens = stage.tokens;
  ask.global_batch = stage.global_batch;
  ask.layout = open_degrees(whole.asked_layout());
  ask.stages.clear();
  setup.job.sequence = stage.sequence->value;
  setup.job.global_batch = stage.global_batch ? stage.global_batch->value : 0;
  return setup;
}

SearchMachine machine_of(TrainSetup alone, const search::SearchScene& first) {
  SearchMachine machine;
  machine.setup = std::make_shared<TrainSetup>(std::move(alone));
  const TrainSetup& setup = *machine.setup;
  training::TrainingJob job = first.scene.job;
  job.sequence = setup.job.sequence;
  job.global_batch = setup.job.global_batch;
  if (job.global_batch == 0) job.global_batch = usual_batch(setup, job.layout.gpus);
  machine.scene = first;
  machine.scene.asked = setup.asked_layout();
  machine.scene.longest = Seconds();
  machine.scene.scene = scene_of(setup, job);
  return machine;
}

RunStage stage_of(const TrainAnswer& answer, Tokens tokens) {
  return {.sequence = answer.sequence,
          .global_batch = answer.global_batch,
          .tokens = tokens,
          .layout = answer.layout,
          .layout_keys = answer.layout_keys,
          .step_time = answer.step_time,
          .tokens_per_s_per_gpu = answer.tokens_per_s_per_gpu,
          .mfu = answer.mfu,
          .work = *answer.duration};
}

}  // namespace

LaterStages later_stages(const TrainSetup& setup, const search::SearchScene& machine,
                         const search::SearchOptions& options) {
  LaterStages out;
  for (std::size_t i = 0; i < setup.ask().stages.size(); ++i) {
    const config::StageSection& stage = setup.ask().stages[i];
    const SearchMachine alone = machine_of(setup_of(setup, stage), machine);
    search::SearchOptions one = options;
    one.keep = 1;
    const auto found = search::search_layouts(alone.scene, one);
    if (found.best.empty()) {
      if (!found.stopped) out.unfit = i;
      return out;
    }
    const TrainAnswer answer = describe_training(*alone.setup, chosen_of(alone, found.best[0]));
    out.stages.push_back(stage_of(answer, stage.tokens->value));
    out.work += answer.duration->value();
  }
  return out;
}

void add_stages(const LaterStages& later, TrainAnswer& answer) {
  if (later.stages.empty() || !answer.duration || !answer.tokens) return;
  answer.stages = {stage_of(answer, *answer.tokens)};
  for (const RunStage& stage : later.stages) {
    answer.stages.push_back(stage);
    answer.tokens = *answer.tokens + stage.tokens;
    answer.duration = add_correlated(*answer.duration, stage.work);
  }
  for (RunStage& stage : answer.stages) stage.share = stage.work.value() / answer.duration->value();
}

}  // namespace loadfactor::engine
