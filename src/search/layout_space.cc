#include "search/layout_space.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "training/memory/memory_plan_resolve.h"
#include "training/memory/stage_split.h"
#include "workload/sharding.h"

namespace loadfactor::search {
namespace {

using config::ModuleWord;
using config::RecomputeWord;
using config::ScheduleWord;
using training::Ability;
using training::Offload;
using training::Recompute;
using training::RecomputeKind;
using training::Schedule;
using training::Sharding;

constexpr int kLayerSteps = 8;    // Full recomputation is tried on eighths of a stage.
constexpr int kOffloadSteps = 8;  // Activations leave by eighths of a stage.

constexpr std::array kOffloads{std::pair{1U, Ability::kOffloadOptimizer},
                               std::pair{2U, Ability::kOffloadParameters},
                               std::pair{4U, Ability::kOffloadActivations}};

template <typename T>
bool agrees(const config::Given<T>& given, T value) {
  return !given || given->value == value;
}

Schedule schedule_of(ScheduleWord word) {
  constexpr std::array kSchedules{Schedule::kGpipe,       Schedule::k1F1B,
                                  Schedule::kInterleaved, Schedule::kZeroBubble,
                                  Schedule::kZeroBubbleV, Schedule::kDualPipe};
  return kSchedules[static_cast<std::size_t>(word)];
}

Recompute of_kind(RecomputeKind kind) {
  Recompute recompute;
  recompute.kind = kind;
  return recompute;
}

// The modules a stack can recompute by name, as `train` tries them.
std::vector<Recompute> module_choices(const catalog::ModelSpec& model) {
  std::vector<Recompute> out;
  for (const Recompute& rung : training::module_rungs(model))
    if (rung.kind == RecomputeKind::kModules) out.push_back(rung);
  return out;
}

}  // namespace

LayoutSpace::LayoutSpace(const training::TrainingJob& job, const config::Layout& asked,
                         const SpaceLimits& limits)
    : job_(job), asked_(asked), limits_(limits) {
  for (const int tp : tensor_degrees())
    for (const int cp : context_degrees()) add_depths(tp, cp);
}

std::vector<int> LayoutSpace::tensor_degrees() const {
  const int gpus = job_.layout.gpus;
  const int domain = std::max(job_.chip->scale_up.domain, limits_.most_tp);
  const int open = has(Ability::kTensorParallel) ? domain : 1;
  const int most = asked_.tp ? asked_.tp->value : open;
  std::vector<int> degrees;
  for (const int tp : workload::legal_tp(model(), std::min(gpus, most)))
    if (agrees(asked_.tp, tp)) degrees.push_back(tp);
  return degrees;
}

std::vector<int> LayoutSpace::context_degrees() const {
  if (asked_.cp) return {asked_.cp->value};
  if (!has(Ability::kContextParallel)) return {1};
  std::vector<int> degrees;
  for (int cp = 1; cp <= limits_.most_cp && cp <= job_.layout.gpus; cp *= 2) {
    const bool long_enough = cp == 1 || job_.sequence / cp >= limits_.shortest_context;
    if (long_enough && job_.sequence % cp == 0) degrees.push_back(cp);
  }
  return degrees;
}

// Slots that stay empty when every stage has room for as many layers.
int LayoutSpace::spare_slots(int stages) const {
  const int layers = model().num_layers();
  return (layers + stages - 1) / stages * stages - layers;
}

void LayoutSpace::add_depths(int tp, int cp) {
  const int gpus = job_.layout.gpus;
  const bool pipelines = job_.stack->abilities.has_pipeline();
  const int deepest = pipelines || asked_.pp ? model().num_layers() : 1;
  for (int pp = 1; pp <= std::min(deepest, gpus); ++pp) {
    const std::int64_t replica = std::int64_t{tp} * cp * pp;
    if (!agrees(asked_.pp, pp) || replica > gpus || gpus % replica != 0) continue;
    Slice slice;
    slice.tp = tp;
    slice.cp = cp;
    slice.pp = pp;
    slice.dp = static_cast<int>(gpus / replica);
    if (!agrees(asked_.dp, slice.dp) || job_.global_batch % slice.dp != 0) continue;
    add_slices(slice);
  }
}

// Pairs of ep and etp. Without experts there is one.
std::vector<std::pair<int, int>> LayoutSpace::expert_degrees(std::int64_t ranks, int tp) const {
  std::vector<std::pair<int, int>> out;
  int most = 1;
  for (const auto& kind : model().kinds) most = std::max(most, kind.moe.experts);
  for (int ep = 1; ep <= most && ep <= ranks; ++ep) {
    const bool divides = std::all_of(model().kinds.begin(), model().kinds.end(),
                                     [ep](const auto& k) { return k.moe.experts % ep == 0; });
    if (!divides || !agrees(asked_.ep, ep)) continue;
    if (ep > 1 && !asked_.ep && !has(Ability::kExpertParallel)) continue;
    for (int etp = 1; etp <= tp; etp *= 2) {
      if (!agrees(asked_.etp, etp) || (etp > 1 && !model().has_experts())) continue;
      if (ranks % (std::int64_t{ep} * etp) == 0) out.emplace_back(ep, etp);
    }
  }
  return out;
}

void LayoutSpace::add_slices(Slice slice) {
  const std::int64_t per_rank = job_.global_batch / slice.dp;
  const std::int64_t ranks = std::int64_t{slice.tp} * slice.cp * slice.dp;
  for (const auto& [ep, etp] : expert_degrees(ranks, slice.tp)) {
    slice.ep = ep;
    slice.etp = etp;
    const std::int64_t first = asked_.micro_batch ? asked_.micro_batch->value : 1;
    const std::int64_t most =
        std::min(asked_.micro_batch ? first : limits_.most_micro_batch, per_rank);
    for (std::int64_t micro = first; micro <= most; ++micro) {
      if (per_rank % micro != 0) continue;
      slice.micro_batch = micro;
      add_depth(slice.pp);
      if (!forms(slice).empty() && !shardings(slice).empty()) slices_.push_back(slice);
    }
  }
}

std::vector<Form> LayoutSpace::forms(const Slice& slice) const {
  const bool fixed_ends = asked_.first_layers || asked_.last_layers;
  if (slice.pp == 1) {
    if ((asked_.vp && asked_.vp->value > 1) || asked_.schedule || fixed_ends) return {};
    return {Form{}};
  }
  const std::int64_t micro_batches = job_.global_batch / (slice.dp * slice.micro_batch);
  const int layers = model().num_layers();
  const Depth& depth = depths_[static_cast<std::size_t>(slice.pp)];
  std::vector<Form> out;
  const auto add = [&](Schedule schedule, int vp) {
    if (asked_.schedule && schedule_of(asked_.schedule->value) != schedule) return;
    if (!agrees(asked_.vp, vp) || !has(*training::ability_of(schedule))) return;
    if (!training::has_free_ends(schedule)) {
      if (!fixed_ends) out.push_back({schedule, vp, {}});
      return;
    }
    for (const Ends& ends : depth.ends[static_cast<std::size_t>(vp)])
      out.push_back({schedule, vp, ends});
  };
  add(Schedule::k1F1B, 1);
  add(Schedule::kGpipe, 1);
  add(Schedule::kZeroBubble, 1);
  if (2 * slice.pp <= layers) add(Schedule::kZeroBubbleV, 1);
  if (slice.pp % 2 == 0 && micro_batches % 2 == 0) add(Schedule::kDualPipe, 1);
  if (micro_batches % slice.pp != 0) return out;
  for (int vp = 2; vp <= limits_.most_chunks && vp * slice.pp <= layers; ++vp)
    add(Schedule::kInterleaved, vp);
  return out;
}

// The rule's own ends first. Chunks by the rule may lack two layers beside embedding and head.
std::vector<Ends> LayoutSpace::ends_of(int pp, int vp) const {
  std::vector<Ends> out;
  const bool fixed = asked_.first_layers || asked_.last_layers;
  if (!fixed && (vp == 1 || spare_slots(pp * vp) <= 2)) out.push_back({});
  if (!fixed && !limits_.ends) return out;
  const auto more = stage_ends(model().num_layers(), pp, vp, asked_);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void LayoutSpace::add_depth(int pp) {
  if (depths_.size() <= static_cast<std::size_t>(pp))
    depths_.resize(static_cast<std::size_t>(pp) + 1);
  Depth& depth = depths_[static_cast<std::size_t>(pp)];
  if (!depth.recomputes.empty()) return;
  for (const bool inputs_only : {false, true})
    depth.offloads[inputs_only ? 1 : 0] = offloads_of(pp, inputs_only);
  depth.recomputes.resize(1);
  depth.ends.resize(1);
  depth.blocks.resize(1);
  depth.resident.resize(1);
  for (int vp = 1; vp <= std::max(1, limits_.most_chunks); ++vp) {
    depth.recomputes.push_back(recomputes_of(pp * vp));
    depth.ends.push_back(ends_of(pp, vp));
    std::int64_t blocks = 0;
    std::int64_t resident = 0;
    for (const Recompute& recompute : depth.recomputes.back()) {
      const auto& offloads = depth.offloads[recompute.kind == RecomputeKind::kFull ? 1 : 0];
      blocks += static_cast<std::int64_t>(offloads.size());
      resident += std::count_if(offloads.begin(), offloads.end(),
                                [](const Offload& offload) { return !offload.parameters; });
    }
    depth.blocks.push_back(blocks);
    depth.resident.push_back(resident);
  }
}

const std::vector<Recompute>& LayoutSpace::recomputes(const Slice& slice, const Form& form) const {
  const Depth& depth = depths_[static_cast<std::size_t>(slice.pp)];
  return depth.recomputes[static_cast<std::size_t>(std::max(1, form.vp))];
}

const std::vector<Offload>& LayoutSpace::offloads(const Slice& slice,
                                                  const Recompute& recompute) const {
  const bool inputs_only = recompute.kind == RecomputeKind::kFull;
  return depths_[static_cast<std::size_t>(slice.pp)].offloads[inputs_only ? 1 : 0];
}

std::vector<Recompute> LayoutSpace::recomputes_of(int chunks) const {
  std::vector<Recompute> out;
  const auto wanted = [&](RecomputeWord word) { return agrees(asked_.recompute, word); };
  if (!asked_.recompute_modules.empty()) return {asked_recompute(asked_)};
  if (wanted(RecomputeWord::kNone)) out.push_back(of_kind(RecomputeKind::kNone));
  if (wanted(RecomputeWord::kSelective) && has(Ability::kRecomputeSelective))
    out.push_back(of_kind(RecomputeKind::kSelective));
  if (wanted(RecomputeWord::kModules) && has(Ability::kRecomputeModules) &&
      (asked_.recompute || job_.stack->memory.ladder == training::RecomputeLadder::kModules)) {
    const auto modules = module_choices(model());
    out.insert(out.end(), modules.begin(), modules.end());
  }
  if (!wanted(RecomputeWord::kFull) || !has(Ability::kRecomputeFull)) return out;
  const int layers = (model().num_layers() + chunks - 1) / chunks;
  Recompute full = of_kind(RecomputeKind::kFull);
  if (asked_.recompute && asked_.recompute_layers < layers)
    full.layers_per_stage = asked_.recompute_layers;
  const bool in_part = !asked_.recompute && has(Ability::kRecomputeLayers);
  for (int step = 1; step < kLayerSteps && in_part; ++step) {
    const int count = (layers * step + kLayerSteps - 1) / kLayerSteps;
    if (count == full.layers_per_stage || count >= layers) continue;
    full.layers_per_stage = count;
    out.push_back(full);
  }
  if (!asked_.recompute) full.layers_per_stage = 0;
  out.push_back(full);
  return out;
}

std::vector<bool> LayoutSpace::sequence_parallels(const Slice& slice) const {
  if (slice.tp == 1) return {false};
  // Every rank gets an equal part of a sequence.
  if (job_.sequence % (std::int64_t{slice.tp} * slice.cp) != 0) return {false};
  if (asked_.sequence_parallel) return {asked_.sequence_parallel->value};
  return {true, false};
}

std::vector<ShardChoice> LayoutSpace::shardings(const Slice& slice) const {
  const int ranks = slice.dp * slice.cp;
  std::vector<ShardChoice> out;
  const auto wanted = [&](int zero) { return agrees(asked_.zero, zero); };
  if (ranks == 1 && !may_shard_nothing(asked_, job_.layout.gpus)) return {};
  if (ranks == 1) return {ShardChoice{}};
  const int group = asked_.shard_group ? asked_.shard_group->value : 0;
  if (group > 0 && (group >= ranks || ranks % group != 0)) return {};
  if (wanted(0)) out.push_back({Sharding::kNone, 0});
  if (wanted(1) && has(Ability::kZero1)) out.push_back({Sharding::kOptimizer, group});
  const bool whole = slice.pp == 1;  // A pipeline accumulates whole gradients.
  if (wanted(2) && has(Ability::kZero2) && (whole || asked_.zero))
    out.push_back({Sharding::kGradients, group});
  const bool full = whole || job_.stack->memory.pipeline_gradient > 0;
  if (!wanted(3) || !full || !has(Ability::kZero3)) return out;
  out.push_back({group > 0 ? Sharding::kHybrid : Sharding::kFull, group});
  if (asked_.zero || !has(Ability::kGroupsOfZero3)) return out;
  // Copies across groups: as many ranks as a node, a rack or a pod of them hold.
  for (int size = 2; size < ranks; size *= 2)
    if (ranks % size == 0) out.push_back({Sharding::kHybrid, size});
  return out;
}

std::vector<Offload> LayoutSpace::offloads_of(int pp, bool inputs_only) const {
  std::vector<int> away;  // Layers whose activations leave; 0: none of them, or inputs alone.
  const int layers = (model().num_layers() + pp - 1) / pp;
  for (int step = 1; step <= kOffloadSteps && !inputs_only; ++step) {
    const int count = (layers * step + kOffloadSteps - 1) / kOffloadSteps;
    if (away.empty() || count != away.back()) away.push_back(count);
  }
  if (inputs_only) away.push_back(0);
  if (asked_.offload_layers) away.assign(1, std::min(layers, asked_.offload_layers->value));
  std::vector<Offload> out;
  const auto add = [&](unsigned bits) {
    Offload offload;
    offload.optimizer = (bits & 1U) != 0;
    offload.parameters = (bits & 2U) != 0;
    offload.activations = (bits & 4U) != 0;
    if (!offload.activations) return out.push_back(offload);
    for (const int count : away) {
      offload.activation_layers = count;
      out.push_back(offload);
    }
  };
  if (asked_.offload) {
    unsigned bits = 0;
    for (const auto word : asked_.offload->value) bits |= 1U << static_cast<unsigned>(word);
    add(bits);
    return out;
  }
  unsigned can = 0;
  for (const auto& [bit, ability] : kOffloads)
    if (limits_.offload && has(ability)) can |= bit;
  for (unsigned bits = 0; bits < 8U; ++bits)
    if ((bits & ~can) == 0) add(bits);
  return out;
}

std::int64_t LayoutSpace::count(const Slice& slice) const {
  const auto choices = shardings(slice);
  const auto leaves = static_cast<std::int64_t>(choices.size());
  training::Layout layout = base_layout(slice);
  const std::int64_t may_leave =
      std::count_if(choices.begin(), choices.end(), [&](const ShardChoice& choice) {
        layout.sharding = choice.sharding;
        return training::may_offload_parameters(layout);
      });
  const auto parallels = static_cast<std::int64_t>(sequence_parallels(slice).size());
  const Depth& depth = depths_[static_cast<std::size_t>(slice.pp)];
  std::int64_t all = 0;
  for (const Form& form : forms(slice)) {
    const auto at = static_cast<std::size_t>(form.vp);
    all += depth.blocks[at] * may_leave + depth.resident[at] * (leaves - may_leave);
  }
  return all * parallels;
}

training::Layout LayoutSpace::base_layout(const Slice& slice) const {
  training::Layout layout;
  layout.gpus = job_.layout.gpus;
  layout.tp = slice.tp;
  layout.pp = slice.pp;
  layout.cp = slice.cp;
  layout.ep = slice.ep;
  layout.etp = slice.etp;
  layout.dp = slice.dp;
  layout.micro_batch = slice.micro_batch;
  layout.schedule = slice.pp > 1 ? Schedule::k1F1B : Schedule::kNone;
  return layout;
}

void LayoutSpace::set_form(const Form& form, training::Layout& layout) {
  layout.schedule = form.schedule;
  layout.vp = form.vp;
  layout.first_layers = form.ends.first;
  layout.last_layers = form.ends.last;
}

bool may_shard_nothing(const config::Layout& asked, int gpus) {
  if (!asked.zero || asked.zero->value == 0) return true;
  const auto one = [](const config::Given<int>& degree) { return degree ? degree->value : 1; };
  const bool alone = std::int64_t{one(asked.tp)} * one(asked.pp) == gpus;
  return !asked.shard_group && (alone || (asked.dp && asked.dp->value == 1));
}

Recompute asked_recompute(const config::Layout& asked) {
  Recompute recompute;
  if (!asked.recompute) return recompute;
  constexpr std::array kKinds{RecomputeKind::kNone, RecomputeKind::kModules,
                              RecomputeKind::kSelective, RecomputeKind::kFull};
  recompute.kind = kKinds[static_cast<std::size_t>(asked.recompute->value)];
  recompute.layers_per_stage = asked.recompute_layers;
  if (asked.recompute->value != RecomputeWord::kModules) return recompute;
  const auto& modules = asked.recompute_modules;
  const auto has = [&modules](ModuleWord word) {
    return std::find(modules.begin(), modules.end(), word) != modules.end();
  };
  recompute.norms = modules.empty() || has(ModuleWord::kNorms);
  recompute.activation = modules.empty() || has(ModuleWord::kActivations);
  recompute.mlp = has(ModuleWord::kMlp);
  recompute.latent_up = has(ModuleWord::kLatentUp);
  recompute.experts = has(ModuleWord::kExperts);
  return recompute;
}

bool is_plainer(const training::Layout& a, const training::Layout& b) {
  const auto key = [](const training::Layout& l) {
    const auto& r = l.recompute;
    const auto& o = l.offload;
    return std::tuple(
        int{o.optimizer} + int{o.parameters} + int{o.activations}, r.kind, r.layers_per_stage,
        int{r.norms} + 2 * int{r.activation} + 4 * int{r.mlp} + 8 * int{r.latent_up} +
            16 * int{r.experts},
        l.sharding, l.shard_group, l.pp, l.tp, l.cp, std::tuple(l.ep, l.etp, l.vp, l.schedule),
        l.micro_batch, !l.sequence_parallel, o.optimizer, o.parameters,
        std::tuple(o.activation_layers, l.first_layers, l.last_layers, l.gpus));
  };
  return key(a) < key(b);
}

}  // namespace loadfactor::search
