#include "training/memory/memory_columns.h"

#include <algorithm>

#include "base/check.h"

namespace loadfactor::training {
namespace {

// By value: of references a compiler makes a branch.
Bytes larger(Bytes a, Bytes b) {
  return std::max(a, b);
}

}  // namespace

StateColumns::StateColumns(MemoryQuestion question, const MemoryStages& stages) {
  constexpr auto kBehind = static_cast<std::size_t>(MemoryGroup::kGathered);
  for (std::size_t way = 0; way < kWays; ++way) {
    question.layout.offload.optimizer = (way & 1U) != 0;
    question.layout.offload.parameters = (way & 2U) != 0;
    for (std::size_t s = 0; s < stages.count; ++s) {
      const StageMemory held = state_of(question, stages.stages[s]);
      Stage& stage = stages_[s];
      for (std::size_t g = 0; g < static_cast<std::size_t>(MemoryGroup::kActivations); ++g)
        stage.before[way] += held.groups[g];
      for (std::size_t g = 0; g < stage.behind.size(); ++g)
        stage.behind[g][way] = held.groups[kBehind + g];
      stage.host[way] = held.host;
    }
  }
}

void MemoryColumns::set_offloads(std::span<const Offload> offloads) {
  LF_CHECK(offloads.size() <= kMost);
  for (Stage& stage : stages_) stage.is_used = {};
  for (std::size_t i = 0; i < offloads.size(); ++i)
    way_[i] = (offloads[i].optimizer ? 1U : 0U) + (offloads[i].parameters ? 2U : 0U);
}

void MemoryColumns::set_moment(std::size_t i, const MemoryQuestion& question,
                               const MemoryStages& stages) {
  count_ = stages.count;
  const auto moments = moments_of(question, stages);
  for (std::size_t s = 0; s < count_; ++s) {
    Stage& stage = stages_[s];
    for (std::size_t g = 0; g < stage.groups.size(); ++g) {
      const Bytes bytes = moments[s].groups[kFirstGroup + g];
      stage.groups[g][i] = bytes;
      stage.is_used[g] = stage.is_used[g] || bytes > Bytes();
    }
    stage.host[i] = moments[s].host;
  }
}

void MemoryColumns::repeat_moment(std::size_t i, std::size_t like) {
  for (std::size_t s = 0; s < count_; ++s) {
    for (Column& column : stages_[s].groups) column[i] = column[like];
    stages_[s].host[i] = stages_[s].host[like];
  }
}

// Groups are added in the order in which StageMemory::allocated() adds them.
void MemoryColumns::add_stage(const Stage& stage, const StateColumns::Stage& state,
                              std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) allocated_[i] = state.before[way_[i]];
  for (std::size_t g = 0; g < stage.groups.size(); ++g) {
    if (!stage.is_used[g]) continue;
    for (std::size_t i = 0; i < size; ++i) allocated_[i] += stage.groups[g][i];
  }
  for (const StateColumns::Ways& ways : state.behind)
    for (std::size_t i = 0; i < size; ++i) allocated_[i] += ways[way_[i]];
}

void MemoryColumns::set_needs(const MemoryQuestion& question, const StateColumns& state,
                              std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) most_[i] = hosts_[i] = Bytes();
  for (std::size_t s = 0; s < count_; ++s) {
    add_stage(stages_[s], state.stages_[s], size);
    for (std::size_t i = 0; i < size; ++i) most_[i] = larger(most_[i], allocated_[i]);
    for (std::size_t i = 0; i < size; ++i)
      hosts_[i] = larger(hosts_[i], state.stages_[s].host[way_[i]] + stages_[s].host[i]);
  }
  for (std::size_t i = 0; i < size; ++i) needed_[i] = needed_for(question, most_[i]);
}

}  // namespace loadfactor::training
