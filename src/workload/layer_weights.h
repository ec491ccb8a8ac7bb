// Elements of the matrices of a layer, by the ranks that share them.
//
// Sums over the tensors of weight_tensor.h, so that the memory and the time of a training step
// count the weights that `fit` and serving count. Norms, biases and convolutions are no matrices.
#pragma once

#include "catalog/spec/model_spec.h"

namespace loadfactor::workload {

// Whole, before ranks share it.
struct LayerWeights {
  double mixer = 0;       // Projections of the attention or of what stands in its place.
  double mlp = 0;         // The dense MLP.
  double shared = 0;      // Shared experts, and the projections around latent experts.
  double router = 0;      // The same on every rank.
  double per_layer = 0;   // Projections around the layer's own embedding; the same on every rank.
  double one_expert = 0;  // One routed expert.
  double experts = 0;     // All routed experts.
  double visited = 0;     // The routed experts that one token visits.

  // All that one token does not choose.
  double dense() const { return mixer + mlp + shared + router + per_layer; }
  double total() const { return dense() + experts; }
  // What one token is multiplied by.
  double active() const { return dense() + visited; }
};

LayerWeights layer_weights(const catalog::ModelSpec& model, const catalog::LayerSpec& layer);

// One vocabulary table, narrower than the layers in a few models.
double table_weights(const catalog::ModelSpec& model);

// Tables and projections between a vocabulary table and the layers: learned positions, embeddings
// of single layers, a narrower vocabulary. Zero in most models.
struct EndWeights {
  double split = 0;   // Cut by tensor parallelism.
  double input = 0;   // Before the first layer, the same on every rank.
  double output = 0;  // Behind the last layer, the same on every rank.
};
EndWeights end_weights(const catalog::ModelSpec& model);

}  // namespace loadfactor::workload
