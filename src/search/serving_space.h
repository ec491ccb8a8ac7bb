// Every replica that could serve a model: chips, precisions, layouts and engine settings.
#pragma once

#include <map>
#include <vector>

#include "serving/replica_plan.h"

namespace loadfactor::search {

// Prompts and answers in pools of their own, each with its layout.
struct SplitChoice {
  serving::ReplicaChoice prompts;
  serving::ReplicaChoice answers;
};

// What may be varied. Choices carry the chip, the precision and the formats; the rest is tried.
struct ServingSpace {
  std::vector<serving::ReplicaChoice> choices;  // One per chip and precision.
  // Layouts that are tried on a chip; a chip without any has the layout of its choice.
  std::map<const catalog::AcceleratorSpec*, std::vector<serving::ServingLayout>> layouts;
  bool own_settings = false;        // The engine's own settings alone.
  bool has_splits = false;          // Prompts and answers may be in pools of their own.
  std::vector<SplitChoice> splits;  // Pools apart as they are written, instead of all that.
};

// Every layout of these degrees; with experts also those that spread them over the ranks, with the
// attention split or copied.
std::vector<serving::ServingLayout> layouts_of(const std::vector<int>& tensor,
                                               const std::vector<int>& pipeline, bool has_experts);

// Each layout with the engine's own settings, half and twice the sequences, and a quarter of the
// prompt tokens per step; settings that a choice has are kept.
std::vector<serving::ReplicaChoice> enumerate_replicas(const ServingSpace& space);

}  // namespace loadfactor::search
