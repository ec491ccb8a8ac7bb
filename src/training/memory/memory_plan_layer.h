// One layer on one rank: its parameters, and the tensors it keeps for the backward pass.
#pragma once

#include <array>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "training/memory/memory_plan.h"

namespace loadfactor::training {

// What every layer of a question shares, worked out once.
struct MemoryScale {
  explicit MemoryScale(const MemoryQuestion& question);

  double tokens;         // One micro-batch on one context-parallel rank.
  double context;        // Tokens that a row of the score matrix spans on this rank.
  double tp;             // Ranks that split heads and widths.
  double sp;             // Ranks that split norms, residuals and layer inputs.
  double ep;             // Ranks that split the experts.
  double etp;            // Ranks that split the width inside one expert.
  double input_width;    // Bytes of an input kept for a weight gradient.
  double product_width;  // Bytes of an element in the format of the products.
  double data;           // Replicas that can share state.
  double expert_data;    // Replicas that can share the state of experts.
  double imbalance;      // Rows of the busiest expert rank over the mean.
  bool frozen;           // Base weights need no gradient.
  bool keeps_mlp_input;  // Weights of the MLP, or adapters beside them, have gradients.
  bool unfused;          // Attention keeps its score matrices.
  bool gathers_input;    // Sequence-parallel tensors become whole in backward.
  bool sharded;          // Parameters are gathered layer by layer.
};

// Parameters of one layer on one rank.
struct LayerParameters {
  double attention = 0;   // Mixer and norms.
  double mlp = 0;         // Dense MLP, shared expert, router.
  double experts = 0;     // All routed experts of this rank.
  double one_expert = 0;  // One of those experts.

  double dense() const { return attention + mlp; }
  double total() const { return dense() + experts; }
};

LayerParameters layer_parameters(const catalog::ModelSpec& model, const catalog::LayerSpec& layer,
                                 const MemoryScale& scale);

using SavedBytes = std::array<Bytes, kNumSavedTensors>;
Bytes total(const SavedBytes& saved);

struct LayerActivations {
  SavedBytes saved{};  // One micro-batch without recomputation.
  SavedBytes kept{};   // The same under the layout's recomputation.
  Bytes transient;     // Gradients that live beside them while the layer is in backward.
};

LayerActivations layer_activations(const MemoryQuestion& question, const MemoryScale& scale,
                                   const catalog::LayerSpec& layer);

}  // namespace loadfactor::training
