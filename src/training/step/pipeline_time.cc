#include "training/step/pipeline_time.h"

#include <cmath>

#include "training/memory/stage_split.h"
#include "training/step/collective_time.h"

namespace loadfactor::training {

namespace {

// Plans kept at once; beyond it the workspace starts afresh.
constexpr std::size_t kMostTasks = 12'000'000;

Seconds backward(const ChunkTimes& chunk) {
  return chunk.input_gradient + chunk.weight_gradient;
}

Seconds work(const ChunkTimes& chunk) {
  return chunk.forward + backward(chunk);
}

void add(ChunkTimes& sum, const ChunkTimes& one, double count) {
  sum.forward += one.forward * count;
  sum.input_gradient += one.input_gradient * count;
  sum.weight_gradient += one.weight_gradient * count;
}

// As much of a layout as says which layers stand where.
Layout layout_of(const PipelineKey& key) {
  Layout layout;
  layout.pp = key.pp;
  layout.vp = key.vp;
  layout.first_layers = key.first_layers;
  layout.last_layers = key.last_layers;
  layout.schedule = key.schedule;
  return layout;
}

// The layers of the model in order, those of multi-token prediction behind them.
class LayerRow {
 public:
  LayerRow(const StepScene& scene, const BlockTime& block)
      : model_(*scene.job.model), block_(block) {}

  const ChunkTimes& at(int layer) const {
    const int held = std::min(layer, model_.num_layers() - 1);
    const std::size_t kind = model_.layers[static_cast<std::size_t>(held)];
    return block_.kinds[std::min(kind, kMostKinds - 1)];
  }
  ChunkTimes sum(int begin, int end) const {
    ChunkTimes sum;
    if (model_.kinds.size() == 1) {
      add(sum, block_.kinds[0], end - begin);
    } else {
      for (int i = begin; i < end; ++i) add(sum, at(i), 1.0);
    }
    return sum;
  }

 private:
  const catalog::ModelSpec& model_;
  const BlockTime& block_;
};

// All forwards leave the last rank before anything goes back, and equal jobs in a row of shops wait
// for the slowest shop alone.
Seconds gpipe_time(const PipelineForm& form, std::span<const ChunkTimes> chunks) {
  ChunkTimes sum;
  Seconds forward;
  Seconds back;
  for (const ChunkTimes& chunk : chunks) {
    add(sum, chunk, 1.0);
    forward = std::max(forward, chunk.forward);
    back = std::max(back, backward(chunk));
  }
  return work(sum) + (forward + back) * static_cast<double>(form.micro_batches - 1);
}

// Where no pass of another rank is longer than those of the last rank, the last rank never waits
// once its first micro-batch is there: others fill the pipeline before it and drain it after it.
bool last_rank_sets_pace(const PipelineForm& form, std::span<const ChunkTimes> chunks) {
  if (splits_backward(form.schedule)) return false;
  if (form.chunks > 1 && form.micro_batches % form.ranks != 0) return false;
  const auto last = static_cast<std::size_t>(form.ranks - 1);
  Seconds least_forward = chunks[last].forward;
  Seconds least_backward = backward(chunks[last]);
  for (std::size_t i = last; i < chunks.size(); i += last + 1) {
    least_forward = std::min(least_forward, chunks[i].forward);
    least_backward = std::min(least_backward, backward(chunks[i]));
  }
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i % (last + 1) == last) continue;
    if (chunks[i].forward > least_forward || backward(chunks[i]) > least_backward) return false;
  }
  return true;
}

// Work of a rank on one micro-batch.
Seconds rank_work(const PipelineForm& form, std::span<const ChunkTimes> chunks, int rank) {
  const auto at = [&](int stage) { return work(chunks[static_cast<std::size_t>(stage)]); };
  const int mirrored = form.stages() - 1 - rank;
  if (form.schedule == Schedule::kDualPipe) return (at(rank) + at(mirrored)) * 0.5;
  if (form.schedule == Schedule::kZeroBubbleV) return at(rank) + at(mirrored);
  Seconds sum;
  for (int stage = rank; stage < form.stages(); stage += form.ranks) sum += at(stage);
  return sum;
}

Seconds first_arrival(std::span<const ChunkTimes> chunks, int rank) {
  Seconds sum;
  for (int i = 0; i < rank; ++i) sum += chunks[static_cast<std::size_t>(i)].forward;
  return sum;
}

Seconds last_return(std::span<const ChunkTimes> chunks, int rank) {
  Seconds sum;
  for (int i = 0; i < rank; ++i) sum += backward(chunks[static_cast<std::size_t>(i)]);
  return sum;
}

Seconds dual_work(const PipelineForm& form, std::span<const ChunkTimes> chunks, int rank) {
  const auto count = static_cast<double>(form.micro_batches);
  const double ahead = std::ceil(count / 2);
  return work(chunks[static_cast<std::size_t>(rank)]) * ahead +
         work(chunks[static_cast<std::size_t>(form.ranks - 1 - rank)]) * (count - ahead);
}

}  // namespace

void PipelineWorkspace::make_room() {
  if (tasks_ <= kMostTasks) return;
  orders_.clear();
  linked_.clear();
  tasks_ = 0;
}

const LinkedOrder& PipelineWorkspace::linked(const PipelineForm& form) {
  const auto held = linked_.find(form);
  if (held != linked_.end()) return held->second;
  make_room();
  const auto& order = linked_[form] = link_two_stages(form);
  tasks_ += order.passes.size();
  return order;
}

const LinkedCycle& PipelineWorkspace::order(const PipelineForm& form) {
  PipelineForm any = form;
  any.micro_batches = 0;
  const auto& held = orders_[any];
  for (const LinkedCycle& order : held)
    if (order.serves(form.micro_batches)) return order;
  make_room();
  auto& orders = orders_[any];
  orders.push_back(link(form, plan_cyclic_order(form)));
  tasks_ += orders.back().tasks.size();
  return orders.back();
}

GatherTime gather_time(const StepScene& scene, const BlockTime& block, const Layout& layout) {
  const bool full = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  const int ranks = layout.dp * layout.cp;
  if (!full || ranks <= 1) return {};
  const int group = std::clamp(layout.shard_group > 0 ? layout.shard_group : ranks, 1, ranks);
  const StackTraits& stack = *scene.job.stack;
  const RankParameters p = rank_parameters(scene, layout);
  const double dense = p.dense * layout.pp / scene.layers;
  const double experts = p.experts * layout.pp / scene.layers;
  const Precision& precision = scene.job.precision;
  const bool told = precision.wire_gradient > 0 && precision.wire_gradient <= 2.0;
  const double gradient =
      precision.pure || told || stack.compiler ? 2.0 : stack.shard_gradient_bytes;
  // Frozen weights travel as they rest, and only what is trained has gradients.
  const double resting = scene.frozen ? scene.job.precision.frozen_weight : 0.0;
  const double weight = resting > 0 ? std::min(resting, 2.0) : 2.0;
  const double width = gradient * scene.job.trainable_share;
  const auto ring = [&](double bytes, const RankGroup& over) {
    return ring_time(scene.machine, *scene.constants, Bytes::from_base(bytes), over);
  };
  // Ranks that hold the same experts lie as far apart as all experts reach.
  const int reach = std::max(1, layout.ep * layout.etp);
  const RankGroup alike{group, layout.tp};
  const RankGroup same_experts{std::max(1, group * layout.tp / reach), reach};
  const double hidden =
      scene.constant(stack.compiler ? Constant::kCompilerHidden : Constant::kFsdpHidden);
  // What overlaps still costs a share of the shorter of the two.
  const auto with = [hidden](Seconds compute, Seconds traffic) {
    return std::max(compute, traffic) + (1.0 - hidden) * std::min(compute, traffic) - compute;
  };
  const Seconds gather = ring(dense * weight, alike) + ring(experts * weight, same_experts);
  const Seconds scatter = ring(dense * width, alike) + ring(experts * width, same_experts);
  const Seconds again = layout.reshard_after_forward ? gather : Seconds{};
  GatherTime time;
  time.forward = with(block.layer.forward(), gather);
  time.backward = with(block.layer.backward(), again + scatter);
  time.table = ring(scene.table_weights / layout.tp * 2.0, alike) * (2.0 * (1.0 - hidden));
  return time;
}

PipelineKey pipeline_key(const Layout& layout, double micro_batches, const GatherTime& gather) {
  return {layout.pp,
          layout.vp,
          layout.first_layers,
          layout.last_layers,
          layout.schedule,
          std::max<std::int64_t>(1, std::llround(micro_batches)),
          gather};
}

PipelineForm pipeline_form(const StepScene& scene, const PipelineKey& key) {
  const int layers = scene.job.model->num_layers();
  PipelineForm form{key.schedule, key.pp, chunks_per_rank(layout_of(key), layers),
                    key.micro_batches};
  const bool alternates = key.schedule == Schedule::kNone || key.schedule == Schedule::k1F1B ||
                          key.schedule == Schedule::kInterleaved;
  if (alternates) form.schedule = form.chunks > 1 ? Schedule::kInterleaved : Schedule::k1F1B;
  return form;
}

void set_stage_times(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                     const PipelineForm& form, std::vector<ChunkTimes>& out) {
  const int stages = form.stages();
  const StageSplit split(scene.job.model->num_layers(), layout_of(key));
  const LayerRow row(scene, block);
  const bool several = form.chunks > 1 || form.schedule == Schedule::kDualPipe;
  const Seconds shown = several ? block.occupied_chunks : block.occupied;
  const Seconds occupied = form.ranks > 1 ? shown : Seconds{};
  out.resize(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    const bool last = stage + 1 == stages;
    const int begin = split.begin(stage);
    const int end = last ? scene.layers : split.end(stage);
    ChunkTimes sum = row.sum(begin, end);
    const double layers = end - begin;
    sum.forward += occupied + key.gather.forward * layers;
    sum.input_gradient += occupied + key.gather.backward * layers;
    if (stage == 0) add(sum, block.embedding, 1.0);
    if (last) add(sum, block.tail, 1.0);
    if (last) sum.forward += key.gather.table;
    if (stages == 1) sum.input_gradient -= caught_up(block, scene.layers);
    out[static_cast<std::size_t>(stage)] = sum;
  }
}

PipelineForm with_lengths(const PipelineForm& form, std::span<const ChunkTimes> chunks) {
  PipelineForm out = form;
  if (form.schedule != Schedule::kZeroBubbleV && form.schedule != Schedule::kDualPipe) return out;
  ChunkTimes sum;
  for (const ChunkTimes& chunk : chunks) add(sum, chunk, 1.0);
  const auto quarters = [&](Seconds time) {
    return static_cast<int>(std::clamp(std::round(4.0 * (time / sum.forward)), 1.0, 32.0));
  };
  out.backward_quarters = quarters(sum.input_gradient);
  out.weight_quarters = quarters(sum.weight_gradient);
  return out;
}

Seconds least_makespan(const PipelineForm& form, std::span<const ChunkTimes> chunks) {
  const auto count = static_cast<double>(form.micro_batches);
  const bool drains = !splits_backward(form.schedule);
  Seconds most;
  for (int rank = 0; rank < form.ranks; ++rank) {
    Seconds bound = first_arrival(chunks, rank);
    if (form.schedule == Schedule::kDualPipe) {
      if (form.micro_batches > 1) {
        bound = std::min(bound, first_arrival(chunks, form.ranks - 1 - rank));
      }
      bound += dual_work(form, chunks, rank);
    } else {
      bound += rank_work(form, chunks, rank) * count;
    }
    if (drains) bound += last_return(chunks, rank);
    most = std::max(most, bound);
  }
  return most * kBoundSlack;
}

Seconds makespan(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                 PipelineWorkspace& workspace) {
  if (form.ranks == 1 && form.chunks == 1) {
    return work(chunks[0]) * static_cast<double>(form.micro_batches);
  }
  if (last_rank_sets_pace(form, chunks)) {
    return first_arrival(chunks, form.ranks - 1) +
           rank_work(form, chunks, form.ranks - 1) * static_cast<double>(form.micro_batches) +
           last_return(chunks, form.ranks - 1);
  }
  if (form.schedule == Schedule::kGpipe) return gpipe_time(form, chunks);
  const TickUnit unit = set_ticks(form, chunks, workspace.ticks.stages);
  if (form.schedule == Schedule::k1F1B || form.schedule == Schedule::kZeroBubble) {
    return unit.seconds(alternate_ticks(form, workspace.ticks));
  }
  if (form.schedule == Schedule::kZeroBubbleV || form.schedule == Schedule::kDualPipe) {
    const LinkedOrder& order = workspace.linked(with_lengths(form, chunks));
    return unit.seconds(walk_ticks(order, form.ranks, workspace.ticks));
  }
  return unit.seconds(walk_ticks(form, workspace.order(form), workspace.ticks));
}

PipelineTime pipeline_time(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                           PipelineWorkspace& workspace) {
  const PipelineForm form = pipeline_form(scene, key);
  const bool several = form.chunks > 1 || form.schedule == Schedule::kDualPipe;
  PipelineTime time;
  if (form.ranks == 1) return time;
  set_stage_times(scene, block, key, form, workspace.chunks);
  time.occupied = (several ? block.occupied_chunks : block.occupied) * (2.0 * form.chunks);
  time.latency = block.hop * (2.0 * (form.ranks - 1));
  Seconds sum;
  for (int rank = 0; rank < form.ranks; ++rank) {
    const Seconds one = rank_work(form, workspace.chunks, rank);
    sum += one;
    time.slowest = std::max(time.slowest, one);
  }
  time.mean = sum / form.ranks - time.occupied;
  time.slowest -= time.occupied;
  time.makespan = makespan(form, workspace.chunks, workspace);
  return time;
}

}  // namespace loadfactor::training
