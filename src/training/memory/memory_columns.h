// Needs of plans that differ in sharding and offload alone, side by side in columns.
//
// What a stage holds of state and what lives at its peak are found once each; a plan is then a few
// additions per stage, which a processor does for several plans at once. Every need is that of
// memory_need() to the last bit.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "training/memory/memory_plan_pieces.h"

namespace loadfactor::training {

// State and buffers of every stage under the layout's sharding, with the optimizer (1), the
// parameters (2), both or neither on the host.
class StateColumns {
 public:
  // The stages may have any activations.
  StateColumns(MemoryQuestion question, const MemoryStages& stages);

 private:
  friend class MemoryColumns;

  static constexpr std::size_t kWays = 4;
  using Ways = std::array<Bytes, kWays>;
  struct Stage {
    Ways before{};                 // Groups in front of those of the moment, added up.
    std::array<Ways, 3> behind{};  // Those behind them.
    Ways host{};
  };
  std::array<Stage, MemoryPlan::kMostStages> stages_{};
};

// Plans of one sharding after the other.
class MemoryColumns {
 public:
  static constexpr std::size_t kMost = 64;

  // Plans with these offloads, at most kMost of them.
  void set_offloads(std::span<const Offload> offloads);
  // What lives at the peaks under the i-th. Shardings are alike here that gather parameters, and
  // those that do not.
  void set_moment(std::size_t i, const MemoryQuestion& question, const MemoryStages& stages);
  // The same as under another one, which leaves as much on the device.
  void repeat_moment(std::size_t i, std::size_t like);

  // The needs of the first `size` of them.
  void set_needs(const MemoryQuestion& question, const StateColumns& state, std::size_t size);
  Bytes needed(std::size_t i) const { return needed_[i]; }
  Bytes host(std::size_t i) const { return hosts_[i]; }

 private:
  using Column = std::array<Bytes, kMost>;
  static constexpr auto kFirstGroup = static_cast<std::size_t>(MemoryGroup::kActivations);
  static constexpr auto kEndGroup = static_cast<std::size_t>(MemoryGroup::kGathered);
  struct Stage {
    std::array<Column, kEndGroup - kFirstGroup> groups;
    std::array<bool, kEndGroup - kFirstGroup> is_used{};  // The others are nothing in every plan.
    Column host;
  };

  void add_stage(const Stage& stage, const StateColumns::Stage& state, std::size_t size);

  std::size_t count_ = 0;  // Stages.
  std::array<std::size_t, kMost> way_{};
  std::array<Stage, MemoryPlan::kMostStages> stages_;
  Column allocated_;  // By the stage that is looked at.
  Column most_;
  Column needed_;
  Column hosts_;
};

}  // namespace loadfactor::training
