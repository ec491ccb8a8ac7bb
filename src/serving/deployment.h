// What is served, on what, cut how, by which engine: the inputs of the step model.
#pragma once

#include <optional>

#include "catalog/spec/dtype.h"
#include "catalog/spec/model_spec.h"
#include "collective/network.h"
#include "cost/chip_model.h"
#include "cost/kernel_fit.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// One instance takes tp · cp · dp · pp accelerators. Its dp copies of the attention each serve
// their own requests and share the experts, which are spread over ep of the tp · dp ranks.
struct ServingLayout {
  int tp = 1;
  int pp = 1;
  int ep = 1;
  int dp = 1;
  int cp = 1;  // Ranks that share the tokens of a prompt and the cache of a sequence.

  int ranks() const { return tp * dp; }
  int gpus() const { return tp * dp * pp * cp; }
  int expert_tp() const { return ep > 0 && ranks() / ep > 0 ? ranks() / ep : 1; }
  friend bool operator==(const ServingLayout&, const ServingLayout&) = default;
};

// In which format and by which kernels products are computed.
struct KernelFormat {
  catalog::Dtype math = catalog::Dtype::kBf16;
  cost::KernelVariant variant = cost::KernelVariant::kPlain;

  friend bool operator==(const KernelFormat&, const KernelFormat&) = default;
};

struct ServingPrecision {
  KernelFormat attention;  // The projections around the attention.
  KernelFormat dense;      // Dense and shared feed-forward layers.
  KernelFormat experts;
  catalog::Dtype kv = catalog::Dtype::kBf16;
};

// Tokens proposed ahead of the model and checked by it in one step.
struct Speculation {
  int tokens = 0;         // 0: none.
  double acceptance = 0;  // Chance that a proposed token is right, given those before it are.
  double draft = 0.05;    // Time to propose one over that of a plain decode step.

  // Mean tokens that a sequence gains in one step: 1 + a + a² + … + a^tokens.
  double gained() const;
};

// Low-rank adapters beside every dense product.
struct Adapters {
  int rank = 0;       // 0: none.
  double active = 0;  // Different ones in a batch, at most one per sequence.
};

// How the experts of a mixture are used, and how tokens travel to them.
struct ExpertUse {
  double imbalance = 0;  // Tokens of the busiest rank over the mean; 0: as skew says.
  double skew = 0;       // The i-th most popular expert is chosen i^-skew as often as the first;
                         // 0: all alike, and the busiest rank as measured.
  std::optional<bool> narrow;  // Tokens travel to experts in 8 bits; else as the engine does.
};

// Pointers are never null and outlive the model made of them.
struct ServingDeployment {
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const cost::ChipModel* kernels = nullptr;
  const collective::Network* network = nullptr;
  const EngineTraits* engine = nullptr;
  ServingPrecision precision;
  ServingLayout layout;
  bool eager = false;  // No captured graphs.
  Speculation speculation;
  Adapters adapters;
  ExpertUse experts_used;
  double seen = 0;  // Share of the tokens of prompts that come from the model's encoder.
};

// Index into kChipFamilies.
std::size_t chip_family(const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::serving
