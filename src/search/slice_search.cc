#include "search/slice_search.h"

#include <algorithm>

namespace loadfactor::search {
namespace {

using training::BlockKey;
using training::GatherTime;
using training::Layout;
using training::MemoryNeed;
using training::MemoryStages;
using training::Offload;
using training::PipelineTime;
using training::Recompute;
using training::Sharding;

// Bounds must not exceed the true value by rounding.
constexpr double kSlack = 1.0 - 1e-12;

Seconds both(const training::PassTimes& t) {
  return t.forward + t.backward;
}

bool gathers(const ShardChoice& choice) {
  return choice.sharding == Sharding::kFull || choice.sharding == Sharding::kHybrid;
}

// Offloads that keep the same activations on the device.
bool same_activations(const Offload& a, const Offload& b) {
  return a.activations == b.activations && a.activation_layers == b.activation_layers;
}

}  // namespace

LeastWork least_work(const training::StepScene& scene, const training::BlockTime& block) {
  const auto& head = block.head;
  return {block.layer.forward() + block.layer.backward(),
          both(head.embedding) + (both(head.gemm) + both(head.loss)) * scene.heads};
}

Seconds least_time(const training::StepScene& scene, const LeastWork& work, const Slice& slice) {
  const double sequences = static_cast<double>(slice.micro_batch) * slice.dp;
  const double m = static_cast<double>(scene.job.global_batch) / sequences;
  const Seconds all = work.layer * scene.layers + work.head;
  return all * (m / slice.pp * (1.0 + scene.straggler) * kSlack);
}

SliceSearch::SliceSearch(const SearchScene& scene, const LayoutSpace& space, Workbench& bench)
    : scene_(scene), space_(space), bench_(bench), batch_(scene.scene.job.global_batch) {
  training::TrainingJob job = scene.scene.job;
  memory_ = training::memory_question(job);
}

SliceSearch::Block& SliceSearch::block_for(const Layout& layout) {
  const BlockKey key = training::block_key(scene_.scene, layout);
  for (const auto& block : blocks_)
    if (block->time.key == key) return *block;
  ++out_.blocks;
  blocks_.push_back(std::make_unique<Block>());
  blocks_.back()->time = training::block_time(scene_.scene, key);
  return *blocks_.back();
}

training::MemoryBlock& SliceSearch::memory_of(Block& block) {
  if (!block.memory) {
    memory_.layout = layout_;
    block.memory = std::make_unique<training::MemoryBlock>(training::memory_block(memory_));
  }
  return *block.memory;
}

// True when no leaf of the group can be among the best.
bool SliceSearch::is_hopeless(const Slice& slice, const Block& block) {
  const auto worse = [this](Seconds least) {
    const bool late = scene_.longest > Seconds() && least > scene_.longest;
    return late || !leaders_.admits(least.base() * scene_.weight);
  };
  const auto work = least_work(scene_.scene, block.time);
  if (worse(least_time(scene_.scene, work, slice))) return true;
  if (slice.pp == 1) return false;
  const auto key = training::pipeline_key(layout_, micro_batches_, {});
  return worse(training::least_step(scene_.scene, block.time, key, bench_.pipelines) * kSlack);
}

const MemoryStages& SliceSearch::stages_for(Group& group, const Offload& offload) {
  for (const auto& [held, stages] : stages_)
    if (same_activations(held, offload)) return stages;
  const auto& block = memory_of(*group.block);
  memory_.layout = layout_;
  memory_.layout.offload = offload;
  stages_.emplace_back(offload, training::memory_stages(memory_, block));
  return stages_.back().second;
}

void SliceSearch::search_group(Group& group) {
  stages_.clear();
  PipelineTime plain;
  bool has_plain = false;
  for (const ShardChoice& choice : shardings_) {
    layout_.sharding = choice.sharding;
    layout_.shard_group = choice.group;
    PipelineTime pipeline;
    bool has_pipeline = false;
    for (const Offload& offload : group.offloads) {
      layout_.offload = offload;
      const MemoryStages& stages = stages_for(group, offload);
      memory_.layout = layout_;
      const MemoryNeed need = training::memory_need(memory_, stages);
      const bool fits = need.needed <= memory_.capacity * scene_.fullest;
      if (!fits && (out_.close.empty() || need.needed < out_.close[0].needed))
        out_.close.assign(1, {0, layout_, {}, need.needed, false});
      if (!fits && prune_) continue;
      if (!has_pipeline && !gathers(choice) && has_plain) pipeline = plain;
      if (!has_pipeline && (gathers(choice) || !has_plain)) {
        const GatherTime gather = training::gather_time(scene_.scene, group.block->time, layout_);
        const auto key = training::pipeline_key(layout_, micro_batches_, gather);
        pipeline = training::pipeline_time(scene_.scene, group.block->time, key, bench_.pipelines);
        ++out_.pipelines;
        if (!gathers(choice)) plain = pipeline;
        if (!gathers(choice)) has_plain = true;
      }
      has_pipeline = true;
      const Seconds time =
          training::finish_step(scene_.scene, group.block->time, pipeline, {layout_, batch_})
              .total();
      ++out_.evaluated;
      out_.checksum += time.base();
      if (!fits || (scene_.longest > Seconds() && time > scene_.longest)) continue;
      const bool tight = need.verdict == training::Verdict::kTight;
      const double score = time.base() * scene_.weight * (tight ? kTightPenalty : 1.0);
      if (leaders_.admits(score)) leaders_.offer({score, layout_, time, need.needed, tight});
    }
  }
}

SearchResult SliceSearch::run(const Slice& slice, const SearchOptions& options, double bound) {
  out_ = SearchResult{};
  out_.slices = 1;
  prune_ = options.prune;
  leaders_ = Leaders(options.keep, bound);
  blocks_.clear();
  shardings_ = space_.shardings(slice);
  layout_ = space_.base_layout(slice);
  micro_batches_ = training::micro_batches(batch_, layout_);
  memory_.micro_batches = micro_batches_;
  const auto parallels = space_.sequence_parallels(slice);
  for (const Form& form : space_.forms(slice)) {
    layout_.schedule = form.schedule;
    layout_.vp = form.vp;
    const auto recomputes = space_.recomputes(slice, form);
    for (const bool parallel : parallels) {
      layout_.sequence_parallel = parallel;
      for (const Recompute& recompute : recomputes) {
        layout_.recompute = recompute;
        Group group{&slice, &block_for(layout_), space_.offloads(slice, recompute)};
        out_.enumerated += static_cast<std::int64_t>(shardings_.size() * group.offloads.size());
        if (prune_ && is_hopeless(slice, *group.block)) continue;
        search_group(group);
      }
    }
  }
  out_.best = leaders_.best();
  return std::move(out_);
}

}  // namespace loadfactor::search
