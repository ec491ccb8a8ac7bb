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

bool is_measured(const training::PartFactors& factors) {
  for (std::size_t i = 0; i < training::kNumParts; ++i)
    if (factors[static_cast<training::Part>(i)] != 1.0) return true;
  return false;
}

}  // namespace

const std::vector<training::BlockKernels>& KernelShelf::add(const training::StepScene& scene,
                                                            const LayoutSpace& space,
                                                            const Slice& slice) {
  const Key at(slice.tp, slice.cp, slice.ep, slice.etp, slice.micro_batch);
  const auto held = held_.find(at);
  if (held != held_.end()) return held->second;
  auto& kernels = held_[at];
  Layout layout = space.base_layout(slice);
  const auto work = training::block_work(scene, training::block_key(scene, layout));
  for (const bool parallel : space.sequence_parallels(slice)) {
    layout.sequence_parallel = parallel;
    for (const auto schedule : {training::Schedule::k1F1B, training::Schedule::kDualPipe}) {
      layout.schedule = schedule;
      kernels.push_back(training::block_kernels(scene, training::block_key(scene, layout), work));
    }
  }
  return kernels;
}

const std::vector<training::BlockKernels>* KernelShelf::find(const Slice& slice) const {
  const auto held = held_.find(Key(slice.tp, slice.cp, slice.ep, slice.etp, slice.micro_batch));
  return held == held_.end() ? nullptr : &held->second;
}

SliceSearch::SliceSearch(const SearchScene& scene, const LayoutSpace& space,
                         const SearchOptions& options, const KernelShelf& shelf, Workbench& bench)
    : scene_(scene),
      space_(space),
      options_(options),
      shelf_(shelf),
      bench_(bench),
      batch_(scene.scene.job.global_batch),
      is_measured_(is_measured(scene.scene.job.measured)),
      memory_(training::memory_question(scene.scene.job)) {}

// Forms ask for their blocks in the same order, so the next one is looked at first.
SliceSearch::Block& SliceSearch::block_for(const Layout& layout) {
  const BlockKey key = training::block_key(scene_.scene, layout);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t at = (last_block_ + 1 + i) % blocks_.size();
    if (blocks_[at]->time.key != key) continue;
    last_block_ = at;
    return *blocks_[at];
  }
  ++out_.blocks;
  last_block_ = blocks_.size();
  blocks_.push_back(std::make_unique<Block>());
  blocks_.back()->time = training::block_time(scene_.scene, kernels_for(key), key);
  return *blocks_.back();
}

const training::BlockKernels& SliceSearch::kernels_for(const BlockKey& key) {
  const BlockKey plain = training::without_recompute(key);
  const auto same = [&plain](const training::BlockKernels& held) { return held.key == plain; };
  if (shelved_ != nullptr) {
    const auto held = std::find_if(shelved_->begin(), shelved_->end(), same);
    if (held != shelved_->end()) return *held;
  }
  const auto held = std::find_if(kernels_.begin(), kernels_.end(), same);
  if (held != kernels_.end()) return *held;
  kernels_.push_back(training::block_kernels(scene_.scene, plain));
  return kernels_.back();
}

bool SliceSearch::is_worse(Seconds least) const {
  const bool late = scene_.longest > Seconds() && least > scene_.longest;
  return late || !leaders_.admits(least.base() * scene_.weight);
}

std::optional<Seconds> SliceSearch::work_if_promising(const Block& block, Seconds even) {
  if (!options_.prune || layout_.pp == 1) return even;
  const auto& scene = scene_.scene;
  const auto key = training::pipeline_key(layout_, micro_batches_, {});
  const Seconds work =
      std::max(even, training::least_pipeline_work(scene, block.time, key, bench_.pipelines));
  if (is_worse(training::least_total(scene, work))) return std::nullopt;
  return work;
}

// By what the leaf being looked at takes at least, without a look at its pipeline and its memory.
bool SliceSearch::is_leaf_worse(const Candidate& candidate, Seconds work) const {
  const Offload& offload = layout_.offload;
  if (is_worse(candidate.totals.plain(work, offload.optimizer))) return true;
  const bool plain = !offload.parameters && !offload.activations;
  return !plain && is_worse(candidate.totals.total(work, layout_));
}

bool SliceSearch::has_room(Bytes needed) const {
  return needed * training::kBoundSlack <= memory_.capacity * scene_.fullest;
}

const MemoryStages& SliceSearch::stages_for(Group& group) {
  for (const auto& [held, stages] : stages_)
    if (same_activations(held, layout_.offload)) return stages;
  const auto& block = memory_for(*group.block);
  memory_.layout = layout_;
  if (!shapes_) shapes_ = training::find_stage_shapes(memory_);
  stages_.emplace_back(layout_.offload, training::memory_stages(memory_, block, *shapes_));
  return stages_.back().second;
}

const training::MemoryBlock& SliceSearch::memory_for(Block& block) {
  memory_.layout = layout_;
  if (!block.memory)
    block.memory = std::make_unique<training::MemoryBlock>(training::memory_block(memory_));
  return *block.memory;
}

const PipelineTime& SliceSearch::pipeline_for(Group& group, Shards& shards) {
  auto& held = shards.candidate.gathers ? shards.pipeline : group.plain;
  if (held) return *held;
  const auto& block = group.block->time;
  const auto gather = training::gather_time(scene_.scene, block, layout_);
  const auto key = training::pipeline_key(layout_, micro_batches_, gather);
  held = training::pipeline_time(scene_.scene, block, key, bench_.pipelines);
  ++out_.pipelines;
  return *held;
}

// Gathered parameters make every rank busier, in the mean as long as the gathers take.
SliceSearch::Candidate SliceSearch::candidate_for(Block& block) {
  const bool gathers = layout_.sharding == Sharding::kFull || layout_.sharding == Sharding::kHybrid;
  const auto& scene = scene_.scene;
  const auto sharing = training::sharing_time(scene, block.time, {layout_, batch_});
  const Seconds even = training::least_even_work(scene, block.time, micro_batches_, layout_.pp);
  return {{layout_.sharding, layout_.shard_group},
          gathers,
          sharing,
          {scene, block.time, {layout_, batch_}, sharing.reductions},
          even + sharing.gathers,
          {true, true, true, true}};
}

// What parameters, gradients and optimizer take on the mean rank, whatever form and block. Where
// nothing was found yet, memory is looked at leaf by leaf, so that the nearest miss is known.
void SliceSearch::set_states() {
  states_.assign(shardings_.size(), {});
  if (!options_.prune || !leaders_.is_full()) return;
  memory_.layout = layout_;
  const MemoryStages stages = training::least_stages(memory_, training::memory_block(memory_));
  for (std::size_t i = 0; i < shardings_.size(); ++i) {
    memory_.layout.sharding = shardings_[i].sharding;
    memory_.layout.shard_group = shardings_[i].group;
    for (const unsigned bits : {0U, 1U, 2U, 3U}) {
      memory_.layout.offload.optimizer = (bits & 1U) != 0;
      memory_.layout.offload.parameters = (bits & 2U) != 0;
      states_[i][bits] = training::memory_need(memory_, stages).needed;
    }
  }
}

bool SliceSearch::has_room_for_state() const {
  return std::any_of(states_.begin(), states_.end(), [this](const auto& state) {
    return std::any_of(state.begin(), state.end(), [this](Bytes b) { return has_room(b); });
  });
}

// `leaves`: whether activations may be offloaded; else the mean rank keeps those of a micro-batch.
void SliceSearch::set_fits(const Block& block, Candidate& candidate, std::size_t sharding,
                           bool leaves) const {
  const bool known = states_[sharding][0] > Bytes() && !leaves &&
                     memory_.stack->memory.late_gradient == 0 && !memory_.stack->compiler;
  const Bytes kept = block.time.key.recomputed == 1.0 ? block.time.kept : block.time.input;
  const Bytes activations =
      known ? kept * (static_cast<double>(scene_.scene.layers) / layout_.pp) : Bytes();
  for (std::size_t bits = 0; bits < candidate.fits.size(); ++bits)
    candidate.fits[bits] = has_room(states_[sharding][bits] + activations);
}

// True when an offload under a sharding may fit and be fast enough, whatever the form.
bool SliceSearch::is_alive(const Candidate& candidate, Seconds work) {
  bool alive = false;
  for (unsigned bits = 0; bits < 4U && !alive; ++bits) {
    layout_.offload.optimizer = (bits & 1U) != 0;
    layout_.offload.parameters = (bits & 2U) != 0;
    alive = candidate.fits[bits] && !is_leaf_worse(candidate, work);
  }
  layout_.offload = {};
  return alive;
}

// A block that recomputes has more work, and as little state. It may hide more of the reductions,
// though, which therefore do not count for it.
const std::vector<SliceSearch::Candidate>& SliceSearch::candidates_for(
    Block& block, const std::vector<Offload>& offloads) {
  if (block.candidates) return *block.candidates;
  const bool leaves = std::any_of(offloads.begin(), offloads.end(),
                                  [](const Offload& offload) { return offload.activations; });
  block.candidates.emplace();
  block.rules_out_recompute = options_.prune && leaves;
  for (std::size_t i = 0; i < shardings_.size(); ++i) {
    layout_.sharding = shardings_[i].sharding;
    layout_.shard_group = shardings_[i].group;
    const bool room = std::any_of(states_[i].begin(), states_[i].end(),
                                  [this](Bytes needed) { return has_room(needed); });
    if (options_.prune && !room) continue;
    Candidate candidate = candidate_for(block);
    if (options_.prune) set_fits(block, candidate, i, leaves);
    if (!options_.prune || is_alive(candidate, candidate.work))
      block.candidates->push_back(candidate);
    const Seconds other = candidate.sharing.reductions + candidate.sharing.gathers;
    block.rules_out_recompute =
        block.rules_out_recompute && !is_alive(candidate, candidate.work - other);
  }
  return *block.candidates;
}

training::StepTime SliceSearch::judge(const training::StepPieces& pieces, const MemoryNeed& need) {
  const auto step = training::finish_step(scene_.scene, pieces, {layout_, batch_});
  const Seconds time = step.total();
  const bool tight = need.verdict == training::Verdict::kTight;
  const double score = time.base() * scene_.weight * handicap(layout_, tight);
  ++out_.evaluated;
  out_.checksum += time.base();
  if (options_.visit) options_.visit({score, layout_, time, need.needed, tight});
  const bool fits = need.needed <= memory_.capacity * scene_.fullest &&
                    training::has_host_room(memory_, need.host);
  const bool late = scene_.longest > Seconds() && time > scene_.longest;
  if (fits && !late) leaders_.offer({score, layout_, time, need.needed, tight});
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
  if (has_room(needed)) return false;
  note_close(needed);
  return true;
}

// Time before memory: of the leaves that fit, few are fast enough, and a bound on the time of one
// costs less than its memory.
void SliceSearch::search_leaves(Group& group, Shards& shards, bool offloads_parameters) {
  bool looked = false;
  for (const Offload& offload : group.offloads) {
    if (offload.parameters != offloads_parameters) continue;
    const std::size_t bits = (offload.optimizer ? 1U : 0U) + (offload.parameters ? 2U : 0U);
    layout_.offload = offload;
    if (!shards.candidate.fits[bits] || is_leaf_worse(shards.candidate, shards.work)) continue;
    if (!looked && is_too_large(group, offloads_parameters)) return;
    looked = true;
    layout_.offload = offload;
    const MemoryStages& stages = stages_for(group);
    memory_.layout = layout_;
    const MemoryNeed need = training::memory_need(memory_, stages);
    const bool has_memory = need.needed <= memory_.capacity * scene_.fullest;
    if (!has_memory) note_close(need.needed);
    const bool fits = has_memory && training::has_host_room(memory_, need.host);
    const Seconds least = shards.candidate.totals.plain(shards.work, offload.optimizer);
    if (!fits || !leaders_.admits(least.base() * scene_.weight, need.needed)) continue;
    const PipelineTime& pipeline = pipeline_for(group, shards);
    const auto step = judge({group.block->time, pipeline, shards.candidate.sharing}, need);
    if (is_measured_) continue;
    shards.work = training::work_of(scene_.scene, step) * training::kBoundSlack;
    if (!shards.candidate.gathers) group.work = shards.work;
  }
}

void SliceSearch::search_group(Group& group) {
  stages_.clear();
  for (const Candidate& candidate : *group.block->candidates) {
    layout_.sharding = candidate.choice.sharding;
    layout_.shard_group = candidate.choice.group;
    Shards shards{candidate, std::max(group.work, candidate.work), {}};
    const auto worse = [&](bool away) {
      return is_worse(candidate.totals.plain(shards.work, away));
    };
    if (worse(false) && worse(true)) continue;
    search_leaves(group, shards, false);
    if (training::may_offload_parameters(layout_)) search_leaves(group, shards, true);
  }
}

// Shardings with the offloads that are legal under them.
std::int64_t SliceSearch::leaves_of(const std::vector<Offload>& offloads) {
  std::int64_t leaves = 0;
  for (const ShardChoice& choice : shardings_) {
    layout_.sharding = choice.sharding;
    const bool all = training::may_offload_parameters(layout_);
    leaves += std::count_if(offloads.begin(), offloads.end(),
                            [all](const Offload& offload) { return all || !offload.parameters; });
  }
  return leaves;
}

// Every recomputation under a form. It only adds to the work of a block: where the one without is
// ruled_out, all are.
void SliceSearch::search_form(const Slice& slice, const Form& form) {
  bool ruled_out = false;
  for (const Recompute& recompute : space_.recomputes(slice, form)) {
    const auto& offloads = space_.offloads(slice, recompute);
    out_.enumerated += leaves_of(offloads);
    if (ruled_out) continue;
    layout_.recompute = recompute;
    layout_.offload = {};
    Block& block = block_for(layout_);
    const Seconds even =
        training::least_even_work(scene_.scene, block.time, micro_batches_, slice.pp);
    if (options_.prune && is_worse(training::least_total(scene_.scene, even))) {
      ruled_out = recompute.kind == training::RecomputeKind::kNone;
      continue;
    }
    const bool plain = recompute.kind == training::RecomputeKind::kNone;
    const bool has_candidates = !candidates_for(block, offloads).empty();
    const auto work = has_candidates ? work_if_promising(block, even) : std::nullopt;
    ruled_out = plain && (has_candidates ? !work : block.rules_out_recompute);
    if (!work) continue;
    Group group{&block, offloads, *work, {}};
    if (options_.prune)
      search_group(group);
    else
      visit_group(group);
  }
}

SearchResult SliceSearch::run(const Slice& slice, const Leaders& before) {
  out_ = SearchResult{};
  out_.slices = 1;
  leaders_ = before.emptied();
  blocks_.clear();
  kernels_.clear();
  last_block_ = 0;
  shelved_ = shelf_.find(slice);
  shardings_ = space_.shardings(slice);
  layout_ = space_.base_layout(slice);
  micro_batches_ = training::micro_batches(batch_, layout_);
  memory_.micro_batches = micro_batches_;
  set_states();
  if (!has_room_for_state()) {
    out_.enumerated = space_.count(slice);
    return std::move(out_);
  }
  const auto parallels = space_.sequence_parallels(slice);
  for (const Form& form : space_.forms(slice)) {
    LayoutSpace::set_form(form, layout_);
    shapes_.reset();
    state_columns_.clear();
    for (const bool parallel : parallels) {
      layout_.sequence_parallel = parallel;
      search_form(slice, form);
    }
  }
  for (std::size_t i = 0; i < leaders_.count(); ++i) {
    const auto& best = leaders_.best(i);
    out_.best.insert(out_.best.end(), best.begin(), best.end());
  }
  return std::move(out_);
}

}  // namespace loadfactor::search
