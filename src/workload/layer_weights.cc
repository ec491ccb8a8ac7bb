#include "workload/layer_weights.h"

#include "workload/weight_tensor.h"

namespace loadfactor::workload {
namespace {

double* sum_of(LayerWeights& weights, Component component) {
  switch (component) {
    case Component::kAttention:
      return &weights.mixer;
    case Component::kMlp:
      return &weights.mlp;
    case Component::kSharedExperts:
      return &weights.shared;
    case Component::kRouter:
      return &weights.router;
    case Component::kExperts:
      return &weights.experts;
    case Component::kEmbedding:
      return &weights.per_layer;
    case Component::kPositions:
    case Component::kNorms:
    case Component::kHead:
      break;
  }
  return nullptr;
}

}  // namespace

LayerWeights layer_weights(const catalog::ModelSpec& model, const catalog::LayerSpec& layer) {
  LayerWeights weights;
  for (const WeightTensor& tensor : layer_tensors(model, layer)) {
    double* sum = sum_of(weights, tensor.component);
    if (tensor.is_linear() && sum != nullptr) *sum += static_cast<double>(tensor.elements());
  }
  if (layer.moe.experts > 0) weights.one_expert = weights.experts / layer.moe.experts;
  weights.visited = weights.one_expert * layer.moe.top_k;
  return weights;
}

double table_weights(const catalog::ModelSpec& model) {
  const catalog::EmbeddingSpec& embedding = model.embedding;
  const int width = embedding.project > 0 ? embedding.project : model.hidden;
  return static_cast<double>(embedding.vocab) * width;
}

EndWeights end_weights(const catalog::ModelSpec& model) {
  const catalog::EmbeddingSpec& embedding = model.embedding;
  EndWeights ends;
  if (embedding.positions == 0 && embedding.per_layer == 0 && embedding.project == 0) return ends;
  for (const WeightTensor& tensor : embedding_tensors(model)) {
    if (tensor.name == "embedding" || tensor.component == Component::kNorms) continue;
    (tensor.split == Split::kWhole ? ends.input : ends.split) +=
        static_cast<double>(tensor.elements());
  }
  for (const WeightTensor& tensor : head_tensors(model, false)) {
    if (tensor.is_linear()) ends.output += static_cast<double>(tensor.elements());
  }
  return ends;
}

}  // namespace loadfactor::workload
