#include "search/slice_search.h"

#include <algorithm>

namespace loadfactor::search {
namespace {

using training::BlockKey;
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

// Offloads that keep the same activations on the device.
bool same_activations(const Offload& a, const Offload& b) {
  return a.activations == b.activations && a.activation_layers == b.activation_layers;
}

bool is_measured(const training::PartFactors& factors) {
  for (std::size_t i = 0; i < training::kNumParts; ++i)
    if (factors[static_cast<training::Part>(i)] != 1.0) return true;
  return false;
}

}  // namespace

LeastWork least_work(const training::StepScene& scene, const training::BlockTime& block) {
  const auto& head = block.head;
  return {block.layer.forward() + block.layer.backward(),
          both(head.embedding) + (both(head.gemm) + both(head.loss)) * scene.heads,
          training::caught_up(block, scene.layers)};
}

Seconds least_sibling(const training::StepScene& scene, const training::StepTime& step) {
  using training::Part;
  Seconds shared;
  for (const Part part :
       {Part::kGemm, Part::kAttention, Part::kPointwise, Part::kHead, Part::kRecompute, Part::kTp,
        Part::kCp, Part::kEp, Part::kP2p, Part::kBubble, Part::kImbalance})
    shared += step[part];
  // Stragglers are a share of what the parts were before somebody measured them.
  const double stragglers = is_measured(scene.job.measured) ? 0.0 : scene.straggler;
  return (shared * (1.0 + stragglers) + step[Part::kHost]) * kSlack;
}

Seconds least_time(const training::StepScene& scene, const LeastWork& work, const Slice& slice) {
  const double sequences = static_cast<double>(slice.micro_batch) * slice.dp;
  const double m = static_cast<double>(scene.job.global_batch) / sequences;
  const Seconds spared = slice.pp == 1 ? work.spared : Seconds{};
  const Seconds all = work.layer * scene.layers + work.head - spared;
  const double factor = (1.0 + scene.straggler) * scene.job.measured.least();
  return all * (m / slice.pp * factor * kSlack);
}

SliceSearch::SliceSearch(const SearchScene& scene, const LayoutSpace& space,
                         const SearchOptions& options, Workbench& bench)
    : scene_(scene),
      space_(space),
      options_(options),
      bench_(bench),
      batch_(scene.scene.job.global_batch),
      memory_(training::memory_question(scene.scene.job)) {}

SliceSearch::Block& SliceSearch::block_for(const Layout& layout) {
  const BlockKey key = training::block_key(scene_.scene, layout);
  for (const auto& block : blocks_)
    if (block->time.key == key) return *block;
  ++out_.blocks;
  blocks_.push_back(std::make_unique<Block>());
  blocks_.back()->time = training::block_time(scene_.scene, kernels_for(key), key);
  return *blocks_.back();
}

const training::BlockKernels& SliceSearch::kernels_for(const BlockKey& key) {
  const BlockKey plain = training::without_recompute(key);
  for (const auto& kernels : kernels_)
    if (kernels.key == plain) return kernels;
  kernels_.push_back(training::block_kernels(scene_.scene, plain));
  return kernels_.back();
}

bool SliceSearch::is_worse(Seconds least) const {
  const bool late = scene_.longest > Seconds() && least > scene_.longest;
  return late || !leaders_.admits(least.base() * scene_.weight);
}

// True when no leaf of the group can be among the best.
bool SliceSearch::is_hopeless(const Slice& slice, const Block& block) {
  if (is_worse(least_time(scene_.scene, least_work(scene_.scene, block.time), slice))) return true;
  if (slice.pp == 1) return false;
  const auto key = training::pipeline_key(layout_, micro_batches_, {});
  return is_worse(training::least_step(scene_.scene, block.time, key, bench_.pipelines) * kSlack);
}

const MemoryStages& SliceSearch::stages_for(Group& group) {
  for (const auto& [held, stages] : stages_)
    if (same_activations(held, layout_.offload)) return stages;
  memory_.layout = layout_;
  auto& block = group.block->memory;
  if (!block) block = std::make_unique<training::MemoryBlock>(training::memory_block(memory_));
  if (!shapes_) shapes_ = training::find_stage_shapes(memory_);
  stages_.emplace_back(layout_.offload, training::memory_stages(memory_, *block, *shapes_));
  return stages_.back().second;
}

PipelineTime SliceSearch::pipeline_for(Group& group) {
  const auto& block = group.block->time;
  const bool gathers = layout_.sharding == Sharding::kFull || layout_.sharding == Sharding::kHybrid;
  if (!gathers && group.plain) return *group.plain;
  const auto gather = training::gather_time(scene_.scene, block, layout_);
  const auto key = training::pipeline_key(layout_, micro_batches_, gather);
  const auto time = training::pipeline_time(scene_.scene, block, key, bench_.pipelines);
  ++out_.pipelines;
  if (!gathers) group.plain = time;
  return time;
}

training::StepTime SliceSearch::judge(const training::StepPieces& pieces, const MemoryNeed& need) {
  const auto step = training::finish_step(scene_.scene, pieces, {layout_, batch_});
  const Seconds time = step.total();
  const bool tight = need.verdict == training::Verdict::kTight;
  const double score = time.base() * scene_.weight * (tight ? kTightPenalty : 1.0);
  ++out_.evaluated;
  out_.checksum += time.base();
  if (options_.visit) options_.visit({score, layout_, time, need.needed, tight});
  const bool fits = need.needed <= memory_.capacity * scene_.fullest;
  const bool late = scene_.longest > Seconds() && time > scene_.longest;
  if (fits && !late && leaders_.admits(score))
    leaders_.offer({score, layout_, time, need.needed, tight});
  return step;
}

void SliceSearch::note_close(Bytes needed) {
  if (out_.close.empty() || needed < out_.close[0].needed)
    out_.close.assign(1, {0, layout_, {}, needed, false});
}

// True when none of the offloads that agree in this fits: the last of them leaves the least on the
// device, since optimizer and activations that leave take nothing with them that stays.
bool SliceSearch::is_too_large(Group& group, bool offloads_parameters) {
  const auto leanest = std::find_if(
      group.offloads.rbegin(), group.offloads.rend(),
      [&](const Offload& offload) { return offload.parameters == offloads_parameters; });
  if (leanest == group.offloads.rend()) return true;
  layout_.offload = *leanest;
  const MemoryStages& stages = stages_for(group);
  memory_.layout = layout_;
  const Bytes needed = training::memory_need(memory_, stages).needed;
  if (needed * kSlack <= memory_.capacity * scene_.fullest) return false;
  note_close(needed);
  return true;
}

void SliceSearch::search_leaves(Group& group, Shards& shards, bool offloads_parameters) {
  const bool gathers = layout_.sharding == Sharding::kFull || layout_.sharding == Sharding::kHybrid;
  std::optional<Seconds>& least = gathers ? shards.least : group.least;
  for (const Offload& offload : group.offloads) {
    if (offload.parameters != offloads_parameters) continue;
    if (options_.prune && least && is_worse(*least)) break;
    layout_.offload = offload;
    const MemoryStages& stages = stages_for(group);
    memory_.layout = layout_;
    const MemoryNeed need = training::memory_need(memory_, stages);
    const bool fits = need.needed <= memory_.capacity * scene_.fullest;
    if (!fits) note_close(need.needed);
    if (!fits && options_.prune) continue;
    if (!shards.pipeline) {
      shards.pipeline = pipeline_for(group);
      shards.sharing = training::sharing_time(scene_.scene, group.block->time, {layout_, batch_});
    }
    const training::StepTime step =
        judge({group.block->time, *shards.pipeline, shards.sharing}, need);
    if (!least) least = least_sibling(scene_.scene, step);
  }
}

void SliceSearch::search_group(Group& group) {
  stages_.clear();
  for (const ShardChoice& choice : shardings_) {
    layout_.sharding = choice.sharding;
    layout_.shard_group = choice.group;
    Shards shards;
    for (const bool offloads_parameters : {false, true}) {
      if (options_.prune && is_too_large(group, offloads_parameters)) continue;
      search_leaves(group, shards, offloads_parameters);
    }
  }
}

// Every recomputation under a form. It only adds to the work of a block: where the one without is
// hopeless, all are.
void SliceSearch::search_form(const Slice& slice, const Form& form) {
  bool hopeless = false;
  for (const Recompute& recompute : space_.recomputes(slice, form)) {
    const auto& offloads = space_.offloads(slice, recompute);
    out_.enumerated += static_cast<std::int64_t>(shardings_.size() * offloads.size());
    if (hopeless) continue;
    layout_.recompute = recompute;
    layout_.offload = {};
    Group group{&block_for(layout_), offloads, {}, {}};
    const bool worse = options_.prune && is_hopeless(slice, *group.block);
    hopeless = worse && recompute.kind == training::RecomputeKind::kNone;
    if (!worse) search_group(group);
  }
}

SearchResult SliceSearch::run(const Slice& slice, double bound) {
  out_ = SearchResult{};
  out_.slices = 1;
  leaders_ = Leaders(options_.keep, bound);
  blocks_.clear();
  kernels_.clear();
  shardings_ = space_.shardings(slice);
  layout_ = space_.base_layout(slice);
  micro_batches_ = training::micro_batches(batch_, layout_);
  memory_.micro_batches = micro_batches_;
  const auto parallels = space_.sequence_parallels(slice);
  for (const Form& form : space_.forms(slice)) {
    LayoutSpace::set_form(form, layout_);
    shapes_.reset();
    for (const bool parallel : parallels) {
      layout_.sequence_parallel = parallel;
      search_form(slice, form);
    }
  }
  out_.best = leaders_.best();
  return std::move(out_);
}

}  // namespace loadfactor::search
