// What is served, on what, cut how, by which engine: the inputs of the step model.
#pragma once

#include "catalog/dtype.h"
#include "catalog/model_spec.h"
#include "collective/network.h"
#include "cost/chip_model.h"
#include "cost/kernel_fit.h"
#include "serving/engine_traits.h"

namespace loadfactor::serving {

// One instance takes tp · dp · pp accelerators. Its dp copies of the attention each serve their
// own requests and share the experts, which are spread over ep of the tp · dp ranks.
struct ServingLayout {
  int tp = 1;
  int pp = 1;
  int ep = 1;
  int dp = 1;

  int ranks() const { return tp * dp; }
  int gpus() const { return tp * dp * pp; }
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
  KernelFormat attention;  // Of the projections around the attention.
  KernelFormat dense;      // Of dense and shared feed-forward layers.
  KernelFormat experts;
  catalog::Dtype kv = catalog::Dtype::kBf16;
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
};

// Index into kChipFamilies.
std::size_t chip_family(const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::serving
