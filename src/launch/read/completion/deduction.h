// What follows from several findings is itself a finding, and a guess where one of them is.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "launch/findings/findings.h"

namespace loadfactor::launch {

// Beyond it nobody builds, and products would overflow.
inline constexpr std::int64_t kMaxCount = 100'000'000;

class Deduction {
 public:
  explicit Deduction(Findings& findings) : findings_(findings) {}

 protected:
  std::optional<std::int64_t> number(std::string_view key) const { return findings_.number(key); }
  Place place(std::string_view key) const;
  // A degree of the layout; nothing where a flag says it and its value is not in the files.
  std::optional<std::int64_t> degree(std::string_view name) const;
  // tp · pp · cp, where all are known.
  std::optional<std::int64_t> fixed_ranks() const;
  // Sets a key to what follows from one key and others.
  void derive(std::string_view key, std::int64_t value, std::string_view from,
              std::initializer_list<std::string_view> others, std::string_view why);

  Findings& findings_;
};

// A service: servers beside each other, and the ranks of a replica.
void complete_service(Findings& findings);
// A run: stages of its pipeline, its ranks and its batch, and what is sharded.
void complete_pipeline(Findings& findings);
void complete_ranks(Findings& findings);
void complete_sharding(Findings& findings);
// Sharded software that keeps what it gathered for the backward pass holds shards all the same.
void settle_offloaded_shards(Findings& findings);

}  // namespace loadfactor::launch
