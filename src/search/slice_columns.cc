// Leaves of a group side by side, for searches that dismiss none of them.
#include <algorithm>

#include "search/slice_search.h"

namespace loadfactor::search {

using training::MemoryColumns;
using training::Offload;
using training::Sharding;

namespace {

constexpr std::size_t kAtOnce = std::min(MemoryColumns::kMost, training::OffloadColumns::kMost);

}  // namespace

// Those that leave the parameters on the device come first: every sharding may have them.
void SliceSearch::order_offloads(const std::vector<Offload>& offloads) {
  if (ordered_of_ == &offloads) return;
  ordered_of_ = &offloads;
  ordered_ = offloads;
  std::stable_partition(ordered_.begin(), ordered_.end(),
                        [](const Offload& offload) { return !offload.parameters; });
}

void SliceSearch::visit_group(Group& group) {
  order_offloads(group.offloads);
  const std::span<const Offload> all = ordered_;
  for (std::size_t from = 0; from < all.size(); from += kAtOnce)
    visit_offloads(group, all.subspan(from, std::min(kAtOnce, all.size() - from)));
}

void SliceSearch::visit_offloads(Group& group, std::span<const Offload> offloads) {
  const training::OffloadColumns columns(scene_.scene, group.block->time, layout_, offloads);
  const auto resident = static_cast<std::size_t>(
      std::find_if(offloads.begin(), offloads.end(),
                   [](const Offload& offload) { return offload.parameters; }) -
      offloads.begin());
  set_moments(group, offloads);
  const std::vector<Candidate>& candidates = *group.block->candidates;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const Candidate& candidate = candidates[c];
    layout_.sharding = candidate.choice.sharding;
    layout_.shard_group = candidate.choice.group;
    layout_.offload = {};
    const std::size_t size = training::may_offload_parameters(layout_) ? offloads.size() : resident;
    if (size == 0) continue;
    Shards shards{candidate, {}, {}};
    bench_.steps.set(scene_.scene,
                     {group.block->time, pipeline_for(group, shards), candidate.sharing},
                     {layout_, batch_}, columns, size);
    memory_.layout = layout_;
    MemoryColumns& memory = candidate.gathers ? bench_.gathered : bench_.resident;
    memory.set_needs(memory_, state_for(c), size);
    for (std::size_t i = 0; i < size; ++i) {
      layout_.offload = offloads[i];
      visit_leaf(bench_.steps.total(i), memory.needed(i), memory.host(i));
    }
  }
}

void SliceSearch::set_moments(Group& group, std::span<const Offload> offloads) {
  const auto& candidates = *group.block->candidates;
  const auto& block = memory_for(*group.block);
  if (!shapes_) shapes_ = training::find_stage_shapes(memory_);
  bench_.resident.set_offloads(offloads);
  bench_.gathered.set_offloads(offloads);
  for (std::size_t i = 0; i < offloads.size(); ++i) {
    const auto like = static_cast<std::size_t>(
        std::find_if(offloads.begin(), offloads.end(),
                     [&](const Offload& other) { return same_activations(other, offloads[i]); }) -
        offloads.begin());
    layout_.offload = offloads[i];
    memory_.layout = layout_;
    if (i == 0) bench_.stages = training::memory_stages(memory_, block, *shapes_);
    if (i > 0 && like == i) training::set_kept(memory_, block, *shapes_, bench_.stages);
    for (const bool gathers : {false, true}) {
      const auto one = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const auto& other) { return other.gathers == gathers; });
      if (one == candidates.end()) continue;
      MemoryColumns& memory = gathers ? bench_.gathered : bench_.resident;
      memory_.layout.sharding = one->choice.sharding;
      memory_.layout.shard_group = one->choice.group;
      if (like == i)
        memory.set_moment(i, memory_, bench_.stages);
      else
        memory.repeat_moment(i, like);
    }
  }
}

// State depends on which layers a stage holds, not on what is computed again.
const training::StateColumns& SliceSearch::state_for(std::size_t candidate) {
  state_columns_.resize(shardings_.size());
  auto& held = state_columns_[candidate];
  if (!held) held.emplace(memory_, bench_.stages);
  return *held;
}

void SliceSearch::visit_leaf(Seconds time, Bytes needed, Bytes host) {
  const bool has_memory = needed <= memory_.capacity * scene_.fullest;
  if (!has_memory) note_close(needed);
  const bool tight = training::verdict_of(memory_, needed, host) == training::Verdict::kTight;
  const double score = time.base() * scene_.weight * handicap(layout_, tight);
  ++out_.evaluated;
  out_.checksum += time.base();
  if (options_.visit) options_.visit({score, layout_, time, needed, tight});
  const bool late = scene_.longest > Seconds() && time > scene_.longest;
  if (late || !has_memory || !training::has_host_room(memory_, host)) return;
  if (leaders_.admits(score, needed)) leaders_.offer({score, layout_, time, needed, tight});
}

}  // namespace loadfactor::search
