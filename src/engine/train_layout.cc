#include "engine/train_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workload/sharding.h"

namespace loadfactor::engine {
namespace {

using config::RecomputeWord;
using config::ScheduleWord;
using training::Layout;
using training::Recompute;
using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

constexpr int kMostChunks = 8;
constexpr int kMostGpus = 65536;                 // How far the search for a size goes.
constexpr double kUsualBatchTokens = 4'194'304;  // Of a step, where the batch is not given.

Schedule schedule_of(ScheduleWord word) {
  constexpr std::array kSchedules{Schedule::kGpipe,       Schedule::k1F1B,
                                  Schedule::kInterleaved, Schedule::kZeroBubble,
                                  Schedule::kZeroBubbleV, Schedule::kDualPipe};
  return kSchedules[static_cast<std::size_t>(word)];
}

Recompute recompute_of(RecomputeWord word) {
  Recompute recompute;
  constexpr std::array kKinds{RecomputeKind::kNone, RecomputeKind::kModules,
                              RecomputeKind::kSelective, RecomputeKind::kFull};
  recompute.kind = kKinds[static_cast<std::size_t>(word)];
  const bool modules = word == RecomputeWord::kModules;
  recompute.norms = modules;
  recompute.activation = modules;
  return recompute;
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

  std::optional<ChosenLayout> choose() {
    if (const auto fixed = fixed_gpus()) {
      try_size(*fixed);
    } else {
      for (int gpus = 1; gpus <= kMostGpus && !(best_ && best_->fits()); gpus *= 2) try_size(gpus);
    }
    if (best_) best_->considered = considered_;
    return std::move(best_);
  }

 private:
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
    const auto& limit = setup_.scenario.limits.gpus;
    if (limit) return static_cast<int>(limit->value);
    return std::nullopt;
  }

  // A batch that every data-parallel degree divides.
  std::int64_t batch_for(int gpus) const {
    if (setup_.job.global_batch > 0) return setup_.job.global_batch;
    const double wanted = kUsualBatchTokens / static_cast<double>(setup_.job.sequence);
    return std::max<std::int64_t>(1, std::llround(wanted / gpus)) * gpus;
  }

  void try_size(int gpus) {
    Layout layout;
    layout.gpus = gpus;
    layout.cp = one(asked_.cp);
    const int domain = std::max({setup_.job.chip->scale_up.domain, 1, one(asked_.tp)});
    for (const int tp : workload::legal_tp(model(), std::min(gpus, domain))) {
      if (!agrees(asked_.tp, tp)) continue;
      layout.tp = tp;
      for (int pp = 1; pp <= std::min(model().num_layers(), gpus); ++pp) {
        if (!agrees(asked_.pp, pp) || (!asked_.pp && !is_usual_depth(pp))) continue;
        const std::int64_t replica = std::int64_t{tp} * pp * layout.cp;
        if (replica > gpus || gpus % replica != 0) continue;
        layout.pp = pp;
        layout.dp = static_cast<int>(gpus / replica);
        if (agrees(asked_.dp, layout.dp)) try_pipeline(layout);
      }
    }
  }

  void try_pipeline(Layout layout) {
    const std::int64_t batch = batch_for(layout.gpus);
    if (batch % layout.dp != 0 || !set_sharding(layout)) return;
    set_experts(layout);
    layout.sequence_parallel =
        layout.tp > 1 && (asked_.sequence_parallel ? asked_.sequence_parallel->value
                                                   : setup_.job.stack->sequence_parallel);
    for (const int vp : chunk_counts(layout.pp)) {
      layout.vp = vp;
      layout.schedule = schedule_for(layout);
      for (const std::int64_t micro : micro_batches(batch / layout.dp)) {
        layout.micro_batch = micro;
        try_layout(layout, batch);
      }
    }
  }

  bool set_sharding(Layout& layout) const {
    constexpr std::array kStages{Sharding::kNone, Sharding::kOptimizer, Sharding::kGradients,
                                 Sharding::kFull};
    Sharding sharding =
        setup_.shards_parameters && layout.pp == 1 ? Sharding::kFull : Sharding::kOptimizer;
    if (asked_.zero) sharding = kStages[static_cast<std::size_t>(asked_.zero->value)];
    const bool legal = sharding != Sharding::kFull || layout.pp == 1 || asked_.pp ||
                       setup_.job.stack->memory.pipeline_gradient > 0;
    layout.sharding = layout.dp * layout.cp > 1 ? sharding : Sharding::kNone;
    return legal;
  }

  // As many expert-parallel ranks as the domain, the experts and the stage allow.
  void set_experts(Layout& layout) const {
    layout.etp = one(asked_.etp);
    layout.ep = one(asked_.ep);
    if (asked_.ep || !has_experts(model())) return;
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
    if (pp == 1) return asked_.vp && asked_.vp->value > 1 ? std::vector<int>{} : std::vector{1};
    if (asked_.vp) return {asked_.vp->value};
    const bool interleaved =
        asked_.schedule && asked_.schedule->value == ScheduleWord::kInterleaved;
    const bool free = !asked_.schedule && setup_.job.stack->interleaves;
    std::vector<int> counts;
    if (!interleaved) counts.push_back(1);
    for (int vp = 2; vp <= kMostChunks && (interleaved || free); ++vp) {
      if (pp * vp <= model().num_layers() && spare_slots(pp * vp) <= 2) counts.push_back(vp);
    }
    return counts;
  }

  Schedule schedule_for(const Layout& layout) const {
    if (layout.pp == 1) return Schedule::kNone;
    if (asked_.schedule) return schedule_of(asked_.schedule->value);
    return layout.vp > 1 ? Schedule::kInterleaved : Schedule::k1F1B;
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
    if (asked_.recompute) layout.recompute = recompute_of(asked_.recompute->value);
    if (asked_.offload) {
      for (const auto word : asked_.offload->value) {
        layout.offload.optimizer |= word == config::OffloadWord::kOptimizer;
        layout.offload.parameters |= word == config::OffloadWord::kParameters;
        layout.offload.activations |= word == config::OffloadWord::kActivations;
      }
    }
    ChosenLayout candidate{setup_.job, {}, {}, 0};
    candidate.job.layout = layout;
    candidate.job.global_batch = batch;
    const auto resolved = training::resolve_memory(training::memory_question(candidate.job));
    candidate.job.layout = resolved.layout;
    candidate.plan = resolved.plan;
    if (candidate.fits()) {
      const auto& family = setup_.calibration.families[setup_.chip_constants->family];
      candidate.time = training::step_time(candidate.job, setup_.calibration.shared,
                                           *setup_.chip_constants, family);
    }
    if (!best_ || is_better(candidate, *best_)) best_ = std::move(candidate);
  }

  // A tight layout must be that much faster to be preferred to one with room.
  static constexpr double kTightPenalty = 1.05;

  static bool is_better(const ChosenLayout& a, const ChosenLayout& b) {
    if (a.fits() != b.fits()) return a.fits();
    if (!a.fits()) return a.plan.needed < b.plan.needed;
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
};

std::string keys_of(const Layout& layout) {
  std::string text = fmt::format("gpus: {}, tp: {}, pp: {}", layout.gpus, layout.tp, layout.pp);
  if (layout.vp > 1) text += fmt::format(", vp: {}", layout.vp);
  if (layout.cp > 1) text += fmt::format(", cp: {}", layout.cp);
  if (layout.ep > 1) text += fmt::format(", ep: {}", layout.ep);
  text += fmt::format(", dp: {}, micro_batch: {}, recompute: {}", layout.dp, layout.micro_batch,
                      recompute_words(layout.recompute));
  return text;
}

}  // namespace

std::string recompute_words(const Recompute& recompute) {
  switch (recompute.kind) {
    case RecomputeKind::kUnknown:
    case RecomputeKind::kNone:
      return "none";
    case RecomputeKind::kSelective:
      return "selective";
    case RecomputeKind::kFull:
      return recompute.layers_per_stage > 0
                 ? fmt::format("full ({} layers of a stage)", recompute.layers_per_stage)
                 : "full";
    case RecomputeKind::kModules:
      break;
  }
  std::vector<std::string> modules;
  if (recompute.norms) modules.emplace_back("norms");
  if (recompute.activation) modules.emplace_back("activations");
  if (recompute.mlp) modules.emplace_back("mlp");
  if (recompute.latent_up) modules.emplace_back("latent up-projections");
  if (recompute.experts) modules.emplace_back("experts");
  return fmt::format("modules ({})", fmt::join(modules, ", "));
}

std::string sharding_words(Sharding sharding) {
  constexpr std::array kWords{"none", "zero-1", "zero-2", "zero-3", "hybrid"};
  return kWords[static_cast<std::size_t>(sharding)];
}

std::string schedule_words(const Layout& layout) {
  constexpr std::array kWords{
      "", "gpipe", "1f1b", "interleaved", "zero-bubble", "zero-bubble-v", "dualpipe"};
  return layout.pp > 1 ? kWords[static_cast<std::size_t>(layout.schedule)] : "";
}

std::optional<ChosenLayout> choose_layout(const TrainSetup& setup, const config::Layout& asked) {
  return LayoutChoice(setup, asked).choose();
}

std::string nearest_that_fits(const TrainSetup& setup) {
  config::Layout asked = setup.asked_layout();
  const auto fitting = [&]() -> std::string {
    const auto found = choose_layout(setup, asked);
    return found && found->fits() ? keys_of(found->job.layout) : std::string();
  };
  asked.recompute.reset();
  if (auto keys = fitting(); !keys.empty()) return keys;
  asked.micro_batch.reset();
  if (auto keys = fitting(); !keys.empty()) return keys;
  for (auto* open : {&asked.zero, &asked.vp, &asked.tp, &asked.pp, &asked.dp, &asked.ep})
    open->reset();
  asked.schedule.reset();
  if (auto keys = fitting(); !keys.empty()) return keys;
  const auto first = choose_layout(setup, asked);
  const std::int64_t now = first ? first->job.layout.gpus : 1;
  for (std::int64_t gpus = 2 * now; gpus <= std::min<std::int64_t>(kMostGpus, now * 64);
       gpus *= 2) {
    asked.gpus = config::Placed<int>{static_cast<int>(gpus), {}};
    if (auto keys = fitting(); !keys.empty()) return keys;
  }
  return {};
}

}  // namespace loadfactor::engine
