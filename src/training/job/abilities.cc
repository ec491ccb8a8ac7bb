#include "training/job/abilities.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "training/job/job.h"

namespace loadfactor::training {

namespace {

constexpr std::array<AbilityWord, kNumAbilities> kWords{{
    {Ability::kTensorParallel, "parallel", "tp", "tp"},
    {Ability::kContextParallel, "parallel", "cp", "cp"},
    {Ability::kExpertParallel, "parallel", "ep", "ep"},
    {Ability::kGpipe, "schedules", "gpipe", "schedule"},
    {Ability::k1F1B, "schedules", "1f1b", "schedule"},
    {Ability::kInterleaved, "schedules", "interleaved", "schedule"},
    {Ability::kZeroBubble, "schedules", "zero-bubble", "schedule"},
    {Ability::kZeroBubbleV, "schedules", "zero-bubble-v", "schedule"},
    {Ability::kDualPipe, "schedules", "dualpipe", "schedule"},
    {Ability::kZero1, "zero", "1", "zero"},
    {Ability::kZero2, "zero", "2", "zero"},
    {Ability::kZero3, "zero", "3", "zero"},
    {Ability::kGroupsOfZero1, "shard_groups", "1", "shard_group with zero"},
    {Ability::kGroupsOfZero2, "shard_groups", "2", "shard_group with zero"},
    {Ability::kGroupsOfZero3, "shard_groups", "3", "shard_group with zero"},
    {Ability::kOffloadOptimizer, "offload", "optimizer", "offload"},
    {Ability::kOffloadParameters, "offload", "parameters", "offload"},
    {Ability::kOffloadActivations, "offload", "activations", "offload"},
    {Ability::kBf16, "precisions", "bf16", "precision"},
    {Ability::kBf16Pure, "precisions", "bf16-pure", "precision"},
    {Ability::kFp16, "precisions", "fp16", "precision"},
    {Ability::kFp8, "precisions", "fp8", "precision"},
    {Ability::kFp8Block, "precisions", "fp8-block", "precision"},
    {Ability::kFp8Rowwise, "precisions", "fp8-rowwise", "precision"},
    {Ability::kInt8, "precisions", "int8", "precision"},
    {Ability::kMxfp8, "precisions", "mxfp8", "precision"},
    {Ability::kNvfp4, "precisions", "nvfp4", "precision"},
    {Ability::kRecomputeModules, "recompute", "modules", "recompute"},
    {Ability::kRecomputeSelective, "recompute", "selective", "recompute"},
    {Ability::kRecomputeLayers, "recompute", "layers", "recompute"},
    {Ability::kRecomputeFull, "recompute", "full", "recompute"},
    {Ability::kPowerSgd, "compression", "powersgd", "compression"},
    {Ability::kOneBit, "compression", "1-bit", "compression"},
}};

// The numbers of a release: 0, 10 and 2 of `v0.10.2rc1`.
std::vector<long> numbers_of(std::string_view release) {
  std::vector<long> numbers;
  std::size_t i = 0;
  const auto digit = [&] {
    return i < release.size() && std::isdigit(static_cast<unsigned char>(release[i])) != 0;
  };
  while (i < release.size() && !digit()) ++i;
  while (digit()) {
    long number = 0;
    for (; digit(); ++i) number = std::min(number * 10 + (release[i] - '0'), 1'000'000L);
    numbers.push_back(number);
    if (i < release.size() && release[i] == '.') ++i;
  }
  return numbers;
}

void add(std::vector<Ability>& out, const std::optional<Ability>& ability) {
  if (ability) out.push_back(*ability);
}

}  // namespace

const std::array<AbilityWord, kNumAbilities>& ability_words() {
  return kWords;
}

std::string words_of(Ability ability) {
  const AbilityWord& row = kWords[static_cast<std::size_t>(ability)];
  if (row.list == "parallel") return std::string(row.word);
  return std::string(row.key) + ": " + std::string(row.word);
}

bool Abilities::has_pipeline() const {
  return std::any_of(kWords.begin(), kWords.end(), [this](const AbilityWord& row) {
    return row.list == "schedules" && has(row.ability);
  });
}

std::optional<std::string> Abilities::since(Ability ability) const {
  for (const AddedAbilities& one : added)
    if (one.can[static_cast<std::size_t>(ability)]) return one.release;
  return std::nullopt;
}

Abilities Abilities::at(std::string_view release) const {
  Abilities out = *this;
  for (const AddedAbilities& one : added) {
    const auto order = compare_releases(release, one.release);
    if (order && *order < 0) out.can &= ~one.can;
  }
  return out;
}

std::optional<int> compare_releases(std::string_view a, std::string_view b) {
  std::vector<long> first = numbers_of(a);
  std::vector<long> second = numbers_of(b);
  if (first.empty() || second.empty()) return std::nullopt;
  first.resize(std::max(first.size(), second.size()));
  second.resize(first.size());
  if (first == second) return 0;
  return first < second ? -1 : 1;
}

std::optional<Ability> ability_of(Schedule schedule) {
  constexpr std::array kOf{Ability::kGpipe,      Ability::k1F1B,        Ability::kInterleaved,
                           Ability::kZeroBubble, Ability::kZeroBubbleV, Ability::kDualPipe};
  if (schedule == Schedule::kNone) return std::nullopt;
  return kOf[static_cast<std::size_t>(schedule) - 1];
}

std::optional<Ability> ability_of(Sharding sharding) {
  constexpr std::array kOf{Ability::kZero1, Ability::kZero2, Ability::kZero3, Ability::kZero3};
  if (sharding == Sharding::kNone) return std::nullopt;
  return kOf[static_cast<std::size_t>(sharding) - 1];
}

Ability group_ability_of(Sharding sharding) {
  if (sharding == Sharding::kOptimizer) return Ability::kGroupsOfZero1;
  return sharding == Sharding::kGradients ? Ability::kGroupsOfZero2 : Ability::kGroupsOfZero3;
}

std::optional<Ability> ability_of(const Recompute& recompute) {
  switch (recompute.kind) {
    case RecomputeKind::kUnknown:
    case RecomputeKind::kNone:
      return std::nullopt;
    case RecomputeKind::kModules:
      return Ability::kRecomputeModules;
    case RecomputeKind::kSelective:
      return Ability::kRecomputeSelective;
    case RecomputeKind::kFull:
      break;
  }
  return recompute.layers_per_stage > 0 ? Ability::kRecomputeLayers : Ability::kRecomputeFull;
}

Ability ability_of(const Precision& precision) {
  using catalog::Dtype;
  switch (precision.compute) {
    case Dtype::kFp16:
      return Ability::kFp16;
    case Dtype::kInt8:
      return Ability::kInt8;
    case Dtype::kMxfp8:
      return Ability::kMxfp8;
    case Dtype::kNvfp4:
      return Ability::kNvfp4;
    case Dtype::kFp8:
      if (precision.block_wise) return Ability::kFp8Block;
      return precision.row_wise ? Ability::kFp8Rowwise : Ability::kFp8;
    default:
      return precision.pure ? Ability::kBf16Pure : Ability::kBf16;
  }
}

std::vector<Ability> abilities_of(const Layout& layout, const Precision& precision) {
  std::vector<Ability> out;
  if (layout.tp > 1) out.push_back(Ability::kTensorParallel);
  if (layout.cp > 1) out.push_back(Ability::kContextParallel);
  if (layout.ep > 1) out.push_back(Ability::kExpertParallel);
  if (layout.pp > 1) add(out, ability_of(layout.schedule));
  if (layout.vp > 1) out.push_back(Ability::kInterleaved);
  add(out, ability_of(layout.sharding));
  const bool groups = layout.shard_group > 0 && layout.shard_group < layout.dp * layout.cp;
  if (groups && layout.sharding != Sharding::kNone)
    out.push_back(group_ability_of(layout.sharding));
  if (layout.offload.optimizer) out.push_back(Ability::kOffloadOptimizer);
  if (layout.offload.parameters) out.push_back(Ability::kOffloadParameters);
  if (layout.offload.activations || layout.offload.activation_layers > 0)
    out.push_back(Ability::kOffloadActivations);
  add(out, ability_of(layout.recompute));
  out.push_back(ability_of(precision));
  if (precision.compression == Compression::kPowerSgd) out.push_back(Ability::kPowerSgd);
  if (precision.compression == Compression::kOneBit) out.push_back(Ability::kOneBit);
  return out;
}

}  // namespace loadfactor::training
