// What a job that does not state its recomputation or offload must have used: the least that fits.
#pragma once

#include <array>

#include "training/memory/memory_plan.h"

namespace loadfactor::training {

struct ResolvedMemory {
  Layout layout;  // States recomputation and offload.
  MemoryPlan plan;
  int rung = 0;  // 0: nothing had to be added.
};

// The modules a stack can recompute by name, lightest first.
std::array<Recompute, 3> module_rungs(const catalog::ModelSpec& model);

// Climbs the stack's ladder until the plan fits the capacity (or is tight); the top rung is
// returned when none does. A layout that states everything comes back as it is.
//
// Never count a job resolved so as evidence that the memory model is right.
ResolvedMemory resolve_memory(const MemoryQuestion& question);

}  // namespace loadfactor::training
