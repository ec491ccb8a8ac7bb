// Which layers a pipeline rank holds and how many micro-batches are in flight on it.
#pragma once

#include <array>
#include <cstddef>

#include "training/memory/memory_plan.h"

namespace loadfactor::training {

// Kinds of layers told apart; of a model with more, the rest count as the last.
inline constexpr std::size_t kMostKinds = 32;

struct StageShape {
  int rank = 0;
  int layers = 0;
  std::array<int, kMostKinds> of_kind{};
  bool first = false;  // Holds the embedding.
  bool last = false;   // Holds the head.
  double in_flight = 1;
};

struct StageShapes {
  std::array<StageShape, MemoryPlan::kMostStages> shapes{};
  std::size_t count = 0;
};

// Micro-batches' worth of a rank's activations that are alive at once.
double micro_batches_in_flight(const Layout& layout, double micro_batches, int rank);

// The first rank, the last, and of the middle ones those that differ in their layers or hold
// more in flight than an earlier one like them.
StageShapes find_stage_shapes(const MemoryQuestion& question);

}  // namespace loadfactor::training
