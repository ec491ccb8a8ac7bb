#include "training/pipeline_time.h"

#include <cmath>

#include "training/collective_time.h"
#include "training/stage_split.h"

namespace loadfactor::training {

namespace {

// Plans kept at once; beyond it the workspace starts afresh.
constexpr std::size_t kMostTasks = 4'000'000;

// Bounds must not exceed the true value by rounding.
constexpr double kSlack = 1.0 - 1e-12;

Seconds backward(const ChunkTimes& chunk) {
  return chunk.input_gradient + chunk.weight_gradient;
}

Seconds work(const ChunkTimes& chunk) {
  return chunk.forward + backward(chunk);
}

// Layers [begin, end) of the model and those of multi-token prediction behind it.
ChunkTimes sum_layers(const StepScene& scene, const BlockTime& block, int begin, int end) {
  const catalog::ModelSpec& model = *scene.job.model;
  const auto add = [](ChunkTimes& sum, const ChunkTimes& one, double count) {
    sum.forward += one.forward * count;
    sum.input_gradient += one.input_gradient * count;
    sum.weight_gradient += one.weight_gradient * count;
  };
  ChunkTimes sum;
  if (model.kinds.size() == 1) {
    add(sum, block.kinds[0], end - begin);
    return sum;
  }
  const int last = model.num_layers() - 1;
  for (int i = begin; i < end; ++i) {
    const std::size_t kind = model.layers[static_cast<std::size_t>(std::min(i, last))];
    add(sum, block.kinds[std::min(kind, kMostKinds - 1)], 1.0);
  }
  return sum;
}

// Every rank in turn, from the last to the first; round k holds backward k and, on rank i, forward
// k + ranks − 1 − i. What a rank waits for was computed in this round or the one before.
Seconds alternate_rounds(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                         PipelineScratch& scratch) {
  const int ranks = form.ranks;
  const std::int64_t count = form.micro_batches;
  const bool split = form.schedule == Schedule::kZeroBubble;
  auto& forward = scratch.forward;
  auto& back = scratch.backward;
  auto& free = scratch.free;
  for (auto* array : {&forward, &back, &free}) {
    array->assign(static_cast<std::size_t>(ranks) + 1, Seconds{});
  }
  for (std::int64_t round = 1 - ranks; round < count; ++round) {
    for (int rank = ranks - 1; rank >= 0; --rank) {
      const auto i = static_cast<std::size_t>(rank);
      const ChunkTimes& chunk = chunks[i];
      const std::int64_t next = round + ranks - 1 - rank;
      if (next >= 0 && next < count) {
        const Seconds arrived = rank > 0 ? forward[i - 1] : Seconds{};
        forward[i] = free[i] = std::max(free[i], arrived) + chunk.forward;
      }
      if (round < 0) continue;
      const Seconds start = std::max(free[i], rank + 1 < ranks ? back[i + 1] : Seconds{});
      back[i] = start + chunk.input_gradient;
      if (!split) back[i] += chunk.weight_gradient;
      free[i] = back[i];
      if (split && round >= rank) free[i] += chunk.weight_gradient;
    }
  }
  Seconds last;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    const double left = split ? static_cast<double>(std::min<std::int64_t>(rank, count)) : 0.0;
    last = std::max(last, free[i] + chunks[i].weight_gradient * left);
  }
  return last;
}

Seconds gpipe_rounds(const PipelineForm& form, std::span<const ChunkTimes> chunks,
                     PipelineScratch& scratch) {
  auto& free = scratch.free;
  free.assign(chunks.size(), Seconds{});
  for (std::int64_t i = 0; i < form.micro_batches; ++i) {
    Seconds arrived;
    for (std::size_t rank = 0; rank < chunks.size(); ++rank) {
      arrived = free[rank] = std::max(free[rank], arrived) + chunks[rank].forward;
    }
  }
  for (std::int64_t i = 0; i < form.micro_batches; ++i) {
    Seconds arrived;
    for (std::size_t rank = chunks.size(); rank-- > 0;) {
      arrived = free[rank] = std::max(free[rank], arrived) + backward(chunks[rank]);
    }
  }
  return free[0];
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

std::span<const PlannedTask> PipelineWorkspace::order(const PipelineForm& form) {
  const auto held = orders_.find(form);
  if (held != orders_.end()) return held->second;
  if (tasks_ > kMostTasks) {
    orders_.clear();
    tasks_ = 0;
  }
  const auto& order = orders_[form] = plan_order(form);
  tasks_ += order.size();
  return order;
}

GatherTime gather_time(const StepScene& scene, const BlockTime& block, const Layout& layout) {
  const bool full = layout.sharding == Sharding::kFull || layout.sharding == Sharding::kHybrid;
  const int ranks = layout.dp * layout.cp;
  if (!full || ranks <= 1) return {};
  const int group = std::clamp(layout.shard_group > 0 ? layout.shard_group : ranks, 1, ranks);
  const StackTraits& stack = *scene.job.stack;
  const RankParameters p = rank_parameters(scene, layout);
  const double per_layer = (p.dense + p.experts) * layout.pp / scene.layers;
  const double width =
      scene.job.precision.pure || stack.compiler ? 2.0 : stack.shard_gradient_bytes;
  const auto ring = [&](double bytes) {
    return ring_time(scene.machine, *scene.constants, Bytes::from_base(bytes), {group, layout.tp});
  };
  const double hidden =
      scene.constant(stack.compiler ? Constant::kCompilerHidden : Constant::kFsdpHidden);
  // What overlaps still costs a share of the shorter of the two.
  const auto with = [hidden](Seconds compute, Seconds traffic) {
    return std::max(compute, traffic) + (1.0 - hidden) * std::min(compute, traffic) - compute;
  };
  const Seconds gather = ring(per_layer * 2.0);
  const Seconds scatter = ring(per_layer * width);
  const Seconds again = layout.reshard_after_forward ? gather : Seconds{};
  GatherTime time;
  time.forward = with(block.layer.forward(), gather);
  time.backward = with(block.layer.backward(), again + scatter);
  time.table = ring(scene.table_weights / layout.tp * 2.0) * (2.0 * (1.0 - hidden));
  return time;
}

PipelineKey pipeline_key(const Layout& layout, double micro_batches, const GatherTime& gather) {
  return {layout.pp, layout.vp, layout.schedule,
          std::max<std::int64_t>(1, std::llround(micro_batches)), gather};
}

PipelineForm pipeline_form(const StepScene& scene, const PipelineKey& key) {
  Layout layout;
  layout.pp = key.pp;
  layout.vp = key.vp;
  layout.schedule = key.schedule;
  PipelineForm form{key.schedule, key.pp, chunks_per_rank(layout, scene.layers), key.micro_batches};
  if (key.schedule == Schedule::kGpipe || key.schedule == Schedule::kZeroBubble) form.chunks = 1;
  const bool alternates = key.schedule == Schedule::kNone || key.schedule == Schedule::k1F1B ||
                          key.schedule == Schedule::kInterleaved;
  if (alternates) form.schedule = form.chunks > 1 ? Schedule::kInterleaved : Schedule::k1F1B;
  return form;
}

void set_stage_times(const StepScene& scene, const BlockTime& block, const PipelineKey& key,
                     const PipelineForm& form, std::vector<ChunkTimes>& out) {
  const int stages = form.stages();
  const StageSplit split(scene.layers, stages);
  const bool several = form.chunks > 1 || form.schedule == Schedule::kDualPipe;
  const Seconds shown = several ? block.occupied_chunks : block.occupied;
  const Seconds occupied = form.ranks > 1 ? shown : Seconds{};
  out.resize(static_cast<std::size_t>(stages));
  for (int stage = 0; stage < stages; ++stage) {
    const double layers = split.end(stage) - split.begin(stage);
    ChunkTimes sum = sum_layers(scene, block, split.begin(stage), split.end(stage));
    sum.forward += occupied + key.gather.forward * layers;
    sum.input_gradient += occupied + key.gather.backward * layers;
    const auto add = [&sum](const ChunkTimes& other) {
      sum.forward += other.forward;
      sum.input_gradient += other.input_gradient;
      sum.weight_gradient += other.weight_gradient;
    };
    if (stage == 0) add(block.embedding);
    if (stage + 1 == stages) add(block.tail);
    if (stage + 1 == stages) sum.forward += key.gather.table;
    out[static_cast<std::size_t>(stage)] = sum;
  }
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
  return most * kSlack;
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
  if (form.schedule == Schedule::kGpipe) return gpipe_rounds(form, chunks, workspace.scratch);
  if (form.schedule == Schedule::k1F1B || form.schedule == Schedule::kZeroBubble) {
    return alternate_rounds(form, chunks, workspace.scratch);
  }
  return run_order(form, workspace.order(form), {chunks, {}}, workspace.scratch,
                   [](const PlannedTask&, Seconds, Seconds) {});
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
