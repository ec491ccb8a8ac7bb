// Memory beside the GPU's own: host memory, CXL behind it, and prompts in machines of their own.
#pragma once

#include "engine/plan/plan.h"
#include "engine/plan/plan_levers.h"

namespace loadfactor::engine {

// A place for the KV cache behind a GPU's host link.
struct MemoryTier {
  std::string name;          // `host memory`, `CXL memory (cxl-2.0)`.
  BytesPerSecond bandwidth;  // To one GPU.
  Bytes room;                // For one GPU; 0: as much as is bought.
  UsedFact fact;
};

// Host memory, and the fastest CXL whose lanes the host link has; nothing where the link is
// unknown.
std::vector<MemoryTier> memory_tiers(const catalog::Catalog& catalog,
                                     const catalog::AcceleratorSpec& chip);

// Tokens of KV cache that can be read from the tier while one token is made, by one copy of the
// attention: what does not arrive in time would be late for every sequence.
double streamed_tokens(const MemoryTier& tier, const serving::ReplicaPlan& plan, double tpot);

// What more memory, or prompts and answers in replicas of their own, would change.
void add_memory_levers(const Core& engine, const ServingFacts& facts, PlanAnswer& answer);

}  // namespace loadfactor::engine
