// What a training framework can run at all, and since which release.
//
// Traits say how long things take; abilities say which layouts there are. Software whose abilities
// nobody has listed is held able to do everything.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/provenance.h"
#include "training/job/layout.h"

namespace loadfactor::training {

struct Precision;

enum class Ability : std::uint8_t {
  kTensorParallel,
  kContextParallel,
  kExpertParallel,
  kGpipe,
  k1F1B,
  kInterleaved,
  kZeroBubble,
  kZeroBubbleV,
  kDualPipe,
  kZero1,
  kZero2,
  kZero3,
  kGroupsOfZero1,  // Several groups of ranks, each with a whole copy of what is sharded.
  kGroupsOfZero2,
  kGroupsOfZero3,
  kOffloadOptimizer,
  kOffloadParameters,
  kOffloadActivations,
  kBf16,
  kBf16Pure,
  kFp16,
  kFp8,
  kFp8Block,
  kFp8Rowwise,
  kInt8,
  kMxfp8,
  kNvfp4,
  kRecomputeModules,
  kRecomputeSelective,
  kRecomputeLayers,  // Full recomputation of so many layers of a stage.
  kRecomputeFull,
  kPowerSgd,
  kOneBit,
  kCount,
};
inline constexpr std::size_t kNumAbilities = static_cast<std::size_t>(Ability::kCount);

struct AbilityWord {
  Ability ability;
  std::string_view list;  // The key of a stack file that lists it.
  std::string_view word;  // As the list has it.
  std::string_view key;   // The key of a layout that asks for it.
};
// Every ability once, in the order of the enumeration.
const std::array<AbilityWord, kNumAbilities>& ability_words();
// `cp`, `schedule: zero-bubble`, `shard_group with zero: 1`.
std::string words_of(Ability ability);

struct AddedAbilities {
  std::string release;
  std::bitset<kNumAbilities> can;
};

struct Abilities {
  bool known = false;
  std::bitset<kNumAbilities> can;     // What the newest release can do.
  std::vector<AddedAbilities> added;  // What later releases brought, the oldest first.
  catalog::Provenance provenance;

  bool has(Ability ability) const { return !known || can[static_cast<std::size_t>(ability)]; }
  bool has_pipeline() const;
  // The release that brought it; nothing for what was always there.
  std::optional<std::string> since(Ability ability) const;
  // Those of a release as somebody writes it; of one that has no number, all.
  Abilities at(std::string_view release) const;
};

// Negative, zero or positive as the first release is older, the same or newer, number by number:
// `0.9.5` is older than `0.10`. Nothing where one of them has no number.
std::optional<int> compare_releases(std::string_view a, std::string_view b);

// The ability that a pipeline of some order takes.
std::optional<Ability> ability_of(Schedule schedule);
// What sharding takes; groups apart.
std::optional<Ability> ability_of(Sharding sharding);
// What groups of ranks take that share one copy.
Ability group_ability_of(Sharding sharding);
std::optional<Ability> ability_of(const Recompute& recompute);
Ability ability_of(const Precision& precision);

// All that a whole layout takes.
std::vector<Ability> abilities_of(const Layout& layout, const Precision& precision);

}  // namespace loadfactor::training
