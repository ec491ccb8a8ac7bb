#include "resolve/train/train_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "search/layout_space.h"
#include "training/memory/stage_split.h"
#include "workload/sharding.h"

namespace loadfactor::engine {
namespace {

using config::ScheduleWord;
using training::Ability;
using training::Layout;
using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

constexpr int kMostChunks = search::SpaceLimits{}.most_chunks;  // As far as a search goes.
constexpr int kMostIdle = 1024;   // Accelerators below a limit that is no multiple.
constexpr int kMostGpus = 65536;  // How far the search for a size goes.

Schedule schedule_of(ScheduleWord word) {
  constexpr std::array kSchedules{Schedule::kGpipe,       Schedule::k1F1B,
                                  Schedule::kInterleaved, Schedule::kZeroBubble,
                                  Schedule::kZeroBubbleV, Schedule::kDualPipe};
  return kSchedules[static_cast<std::size_t>(word)];
}

template <typename T>
bool agrees(const config::Given<T>& given, T value) {
  return !given || given->value == value;
}

// Enumerates what is left open and keeps the best.
class LayoutChoice {
 public:
  LayoutChoice(const TrainSetup& setup, const config::Layout& asked)
      : setup_(setup), asked_(asked) {}

  // Depths that people use; where none of them is legal, any.
  std::optional<ChosenLayout> choose() {
    try_sizes();
    any_depth_ = !best_;
    if (any_depth_) try_sizes();
    if (best_) best_->considered = considered_;
    return std::move(best_);
  }

 private:
  void try_sizes() {
    if (const auto fixed = fixed_gpus()) {
      try_size(*fixed);
    } else if (const auto& limit = setup_.scenario.limits.gpus) {
      // As many as divide: a handful below the limit may have to stay idle.
      const int least = std::max(1, static_cast<int>(limit->value) - kMostIdle);
      for (int gpus = static_cast<int>(limit->value); gpus >= least && !best_; --gpus)
        try_size(gpus);
    } else {
      const std::int64_t first = std::int64_t{one(asked_.tp)} * one(asked_.pp) * one(asked_.cp);
      for (std::int64_t gpus = first * one(asked_.dp);
           gpus <= kMostGpus && !(best_ && best_->fits()); gpus *= 2)
        try_size(static_cast<int>(gpus));
    }
  }

  const catalog::ModelSpec& model() const { return *setup_.job.model; }
  static int one(const config::Given<int>& given) { return given ? given->value : 1; }

  // Slots that stay empty when every stage has room for as many layers.
  int spare_slots(int stages) const {
    const int layers = model().num_layers();
    return (layers + stages - 1) / stages * stages - layers;
  }
  // Depths people use: even ones, those that leave two slots to embedding and head, powers of two.
  bool is_usual_depth(int pp) const {
    const bool power_of_two = (pp & (pp - 1)) == 0;
    return spare_slots(pp) <= 2 || (power_of_two && 2 * pp <= model().num_layers());
  }

  std::optional<int> fixed_gpus() const {
    if (asked_.gpus) return asked_.gpus->value;
    if (asked_.tp && asked_.pp && asked_.dp)
      return asked_.tp->value * asked_.pp->value * asked_.dp->value * one(asked_.cp);
    return std::nullopt;
  }

  // A batch that every data-parallel degree divides.
  std::int64_t batch_for(int gpus) const {
    if (setup_.job.global_batch > 0) return setup_.job.global_batch;
    const double wanted = usual_batch_tokens(setup_) / static_cast<double>(setup_.job.sequence);
    return std::max<std::int64_t>(1, std::llround(wanted / gpus)) * gpus;
  }

  void try_size(int gpus) {
    Layout layout;
    layout.gpus = gpus;
    layout.cp = one(asked_.cp);
    const int domain = std::max({setup_.job.chip->scale_up.domain, 1, one(asked_.tp)});
    for (const int tp : workload::legal_tp(model(), std::min(gpus, domain))) {
      if (!agrees(asked_.tp, tp)) continue;
      if (tp > 1 && !has(Ability::kTensorParallel)) continue;
      layout.tp = tp;
      for (int pp = 1; pp <= std::min(model().num_layers(), gpus); ++pp) {
        if (!agrees(asked_.pp, pp) || (!asked_.pp && !any_depth_ && !is_usual_depth(pp))) continue;
        if (pp > 1 && !setup_.job.stack->abilities.has_pipeline()) break;
        const std::int64_t replica = std::int64_t{tp} * pp * layout.cp;
        if (replica > gpus || gpus % replica != 0) continue;
        layout.pp = pp;
        layout.dp = static_cast<int>(gpus / replica);
        if (agrees(asked_.dp, layout.dp)) try_shardings(layout);
      }
    }
  }

  void try_shardings(Layout layout) {
    if (batch_for(layout.gpus) % layout.dp != 0) return;
    for (const Sharding sharding : shardings(layout))
      if (set_sharding(sharding, layout)) try_pipeline(layout);
  }

  void try_pipeline(Layout layout) {
    const std::int64_t batch = batch_for(layout.gpus);
    set_experts(layout);
    const bool even = setup_.job.sequence % (std::int64_t{layout.tp} * layout.cp) == 0;
    layout.sequence_parallel =
        layout.tp > 1 && (asked_.sequence_parallel ? asked_.sequence_parallel->value
                                                   : even && setup_.job.stack->sequence_parallel);
    for (const int vp : chunk_counts(layout.pp)) {
      layout.vp = vp;
      layout.schedule = schedule_for(layout);
      if (!set_ends(layout)) continue;
      for (const std::int64_t micro : micro_batches(batch / layout.dp)) {
        layout.micro_batch = micro;
        // Chunks take turns in whole rounds of as many micro-batches as there are stages.
        if (vp > 1 && batch / (layout.dp * micro) % layout.pp != 0) continue;
        try_layout(layout, batch);
      }
    }
  }

  // What is written is checked elsewhere; this is for what is left to us.
  bool has(Ability ability) const { return setup_.job.stack->abilities.has(ability); }

  Sharding usual_sharding(const Layout& layout) const {
    const bool optimizer = has(Ability::kZero1);
    const bool under_pipeline = !optimizer && setup_.job.stack->memory.pipeline_gradient > 0;
    const bool full = layout.pp == 1 || under_pipeline;
    const bool wanted = setup_.shards_parameters || asked_offload(asked_).parameters;
    if (wanted && full && has(Ability::kZero3)) return Sharding::kFull;
    return optimizer ? Sharding::kOptimizer : Sharding::kNone;
  }

  // What is written, or what is usual. The state of adapters is small: whole copies of it, which
  // leave frozen weights where they are, are tried first.
  std::vector<Sharding> shardings(const Layout& layout) const {
    constexpr std::array kStages{Sharding::kNone, Sharding::kOptimizer, Sharding::kGradients,
                                 Sharding::kFull};
    if (asked_.zero) return {kStages[static_cast<std::size_t>(asked_.zero->value)]};
    const Sharding usual = usual_sharding(layout);
    const bool adapts = setup_.job.trainable_share < 1.0;
    if (!adapts || usual == Sharding::kNone || asked_.shard_group) return {usual};
    return {Sharding::kNone, usual};
  }

  bool set_sharding(Sharding sharding, Layout& layout) const {
    const bool alone = layout.dp * layout.cp == 1;
    if (alone && !search::may_shard_nothing(asked_, layout.gpus)) return false;
    if (asked_.shard_group) {
      const int ranks = layout.dp * layout.cp;
      layout.shard_group = asked_.shard_group->value;
      if (layout.shard_group >= ranks || ranks % layout.shard_group != 0) return false;
      if (sharding == Sharding::kFull) sharding = Sharding::kHybrid;
    }
    const bool full = sharding == Sharding::kFull || sharding == Sharding::kHybrid;
    const bool legal =
        !full || layout.pp == 1 || asked_.pp || setup_.job.stack->memory.pipeline_gradient > 0;
    layout.sharding = alone ? Sharding::kNone : sharding;
    const bool away = asked_offload(asked_).parameters;
    return legal && (!away || training::may_offload_parameters(layout));
  }

  // Where one end alone is written, the other stages hold equally many.
  bool set_ends(Layout& layout) const {
    if (!asked_.first_layers && !asked_.last_layers) return true;
    if (layout.pp == 1 || !training::has_free_ends(layout.schedule)) return false;
    const int layers = model().num_layers();
    const auto rest = [&](int one) { return training::other_layers(layers, layout.pp, one); };
    layout.first_layers =
        asked_.first_layers ? asked_.first_layers->value : rest(asked_.last_layers->value);
    layout.last_layers =
        asked_.last_layers ? asked_.last_layers->value : rest(asked_.first_layers->value);
    return training::middle_layers(layers, layout) > 0;
  }

  // As many expert-parallel ranks as the domain, the experts and the stage allow.
  void set_experts(Layout& layout) const {
    layout.etp = one(asked_.etp);
    layout.ep = one(asked_.ep);
    if (asked_.ep || !model().has_experts() || !has(Ability::kExpertParallel)) return;
    const std::int64_t ranks = std::int64_t{layout.tp} * layout.cp * layout.dp;
    const int domain = std::max(setup_.job.chip->scale_up.domain, 1);
    for (int ep = 1; ep <= domain; ++ep) {
      const bool divides =
          ranks % (std::int64_t{ep} * layout.etp) == 0 &&
          std::all_of(model().kinds.begin(), model().kinds.end(),
                      [ep](const auto& kind) { return kind.moe.experts % ep == 0; });
      if (divides) layout.ep = ep;
    }
  }

  std::vector<int> chunk_counts(int pp) const {
    const bool needs_stages = asked_.schedule || (asked_.vp && asked_.vp->value > 1);
    if (pp == 1) return needs_stages ? std::vector<int>{} : std::vector{1};
    const bool interleaved =
        asked_.schedule && asked_.schedule->value == ScheduleWord::kInterleaved;
    const bool free =
        !asked_.schedule && setup_.job.stack->interleaves && has(Ability::kInterleaved);
    std::vector<int> counts;
    if (!interleaved && agrees(asked_.vp, 1)) counts.push_back(1);
    const bool ends = asked_.first_layers || asked_.last_layers;
    const int most = asked_.vp ? asked_.vp->value : interleaved || free ? kMostChunks : 1;
    for (int vp = asked_.vp ? most : 2; vp > 1 && vp <= most; ++vp) {
      if (pp * vp <= model().num_layers() && (ends || spare_slots(pp * vp) <= 2))
        counts.push_back(vp);
    }
    return counts;
  }

  Schedule schedule_for(const Layout& layout) const {
    if (layout.pp == 1) return Schedule::kNone;
    if (asked_.schedule) return schedule_of(asked_.schedule->value);
    if (layout.vp > 1) return Schedule::kInterleaved;
    return has(Ability::k1F1B) || !has(Ability::kGpipe) ? Schedule::k1F1B : Schedule::kGpipe;
  }

  std::vector<std::int64_t> micro_batches(std::int64_t per_rank) const {
    if (asked_.micro_batch) {
      const std::int64_t micro = asked_.micro_batch->value;
      return per_rank % micro == 0 ? std::vector{micro} : std::vector<std::int64_t>{};
    }
    std::vector<std::int64_t> sizes;
    for (const std::int64_t micro : {1, 2, 4, 8}) {
      if (per_rank % micro == 0) sizes.push_back(micro);
    }
    return sizes;
  }

  void try_layout(Layout layout, std::int64_t batch) {
    ++considered_;
    layout.recompute.kind = RecomputeKind::kUnknown;
    if (asked_.recompute) layout.recompute = search::asked_recompute(asked_);
    // All layers of a stage and more are all.
    const int slots = layout.pp * layout.vp;
    const int held = (model().num_layers() + slots - 1) / slots;
    if (layout.recompute.layers_per_stage >= held) layout.recompute.layers_per_stage = 0;
    layout.offload = asked_offload(asked_);
    if (asked_.offload_layers) layout.offload.activation_layers = offloaded(layout);
    ChosenLayout candidate{setup_.job, {}, {}, 0};
    candidate.job.layout = layout;
    candidate.job.global_batch = batch;
    const auto resolved = training::resolve_memory(training::memory_question(candidate.job));
    candidate.job.layout = resolved.layout;
    candidate.plan = resolved.plan;
    if (candidate.fits()) {
      const auto& family = setup_.data->calibration.families[setup_.chip_constants->family];
      candidate.time = training::step_time(candidate.job, setup_.data->calibration.shared,
                                           *setup_.chip_constants, family);
    }
    if (!best_ || is_better(candidate, *best_)) best_ = std::move(candidate);
  }

  // All layers of a stage at most.
  int offloaded(const Layout& layout) const {
    const int held = (model().num_layers() + layout.pp - 1) / layout.pp;
    return std::min(held, asked_.offload_layers->value);
  }

  // A tight layout must be that much faster to be preferred to one with room.
  static constexpr double kTightPenalty = 1.05;

  static bool is_better(const ChosenLayout& a, const ChosenLayout& b) {
    if (a.fits() != b.fits()) return a.fits();
    const auto lacks = [](const ChosenLayout& layout) {
      return std::max(layout.plan.fill(), layout.plan.host_fill());
    };
    if (!a.fits()) return lacks(a) < lacks(b);
    const auto weight = [](const ChosenLayout& layout) {
      const bool tight = layout.plan.verdict == training::Verdict::kTight;
      return layout.time.total() * (tight ? kTightPenalty : 1.0);
    };
    return weight(a) < weight(b);
  }

  const TrainSetup& setup_;
  const config::Layout& asked_;
  std::optional<ChosenLayout> best_;
  int considered_ = 0;
  bool any_depth_ = false;
};

}  // namespace

double usual_batch_tokens(const TrainSetup& setup) {
  const auto& run = setup.ask().tokens;
  return run ? std::min(kUsualBatchTokens, run->value.base()) : kUsualBatchTokens;
}

std::optional<ChosenLayout> choose_layout(const TrainSetup& setup, const config::Layout& asked) {
  return LayoutChoice(setup, asked).choose();
}

training::StepScene scene_of(const TrainSetup& setup, const training::TrainingJob& job) {
  const auto& calibration = setup.data->calibration;
  return training::make_scene(job, calibration.shared, *setup.chip_constants,
                              calibration.families[setup.chip_constants->family]);
}

}  // namespace loadfactor::engine
