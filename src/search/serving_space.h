// Every replica that could serve a model: chips, precisions, layouts and engine settings.
#pragma once

#include <vector>

#include "serving/replica_plan.h"

namespace loadfactor::search {

// What may be varied. Choices carry the chip, the precision and the formats; the rest is tried.
struct ServingSpace {
  std::vector<serving::ReplicaChoice> choices;  // One per chip and precision; layouts are ignored.
  std::vector<int> tp{1, 2, 4, 8};
  std::vector<int> pp{1, 2};
  bool has_experts = false;   // Then experts may be spread over the ranks, and attention copied.
  bool fixed_layout = false;  // Only the choices' own layouts.
  int most_gpus = 0;          // Limit on the GPUs of a replica; 0: none.
  bool own_settings = false;  // Only the engine's own settings.
  bool has_splits = false;    // Prompts and answers may be in pools of their own.
};

// Legal layouts only: heads divide by tp, ranks within the chip's scale-up domain, layers at least
// as many as stages. Each with the engine's own settings, half and twice the sequences, and a
// quarter of the prompt tokens per step.
std::vector<serving::ReplicaChoice> enumerate_replicas(const ServingSpace& space);

}  // namespace loadfactor::search
