#include "workload/parameters.h"

#include <numeric>
#include <vector>

namespace loadfactor::workload {
namespace {

using catalog::ModelSpec;

std::int64_t elements(const std::vector<WeightTensor>& tensors) {
  std::int64_t sum = 0;
  for (const WeightTensor& tensor : tensors) sum += tensor.elements();
  return sum;
}

// How many of the layers are of each kind: layers of one kind have the same tensors.
std::vector<std::int64_t> layers_by_kind(const ModelSpec& model, const Stage& stage) {
  std::vector<std::int64_t> count(model.kinds.size(), 0);
  for (const int layer : stage.layers) ++count[model.layers[static_cast<std::size_t>(layer)]];
  return count;
}

std::int64_t idle_parameters(const ModelSpec& model) {
  std::int64_t idle = 0;
  const auto layers = layers_by_kind(model, whole_model(model));
  for (std::size_t kind = 0; kind < layers.size(); ++kind) {
    const catalog::MoeSpec& moe = model.kinds[kind].moe;
    for (const WeightTensor& tensor : moe_tensors(model.hidden, moe)) {
      if (tensor.component != Component::kExperts) continue;
      idle += layers[kind] * (tensor.elements() / moe.experts * (moe.experts - moe.top_k));
    }
  }
  return idle;
}

}  // namespace

std::int64_t ParameterCount::text() const {
  return std::accumulate(by_component.begin(), by_component.end(), std::int64_t{0});
}

ParameterCount count_parameters(const ModelSpec& model) {
  ParameterCount count = local_parameters(model, Sharding{}, whole_model(model));
  for (const auto& extra : model.extras) count.extras += extra.parameters;
  count.idle = idle_parameters(model);
  if (model.mtp_layers > 0) count.mtp = model.mtp_layers * elements(mtp_tensors(model));
  return count;
}

std::int64_t active_parameters(const ModelSpec& model, catalog::ActiveExcludes excludes) {
  const std::int64_t active = count_parameters(model).active();
  std::int64_t token_table = 0;
  std::int64_t layer_table = 0;
  for (const WeightTensor& tensor : embedding_tensors(model)) {
    if (tensor.name == "embedding") token_table = tensor.elements();
    if (tensor.name == "per_layer.table") layer_table = tensor.elements();
  }
  const bool tied = model.embedding.tied;
  switch (excludes) {
    case catalog::ActiveExcludes::kInput:
      return tied ? active : active - token_table - layer_table;
    case catalog::ActiveExcludes::kEmbeddings:
      return active - token_table - (tied ? 0 : token_table);
    case catalog::ActiveExcludes::kNothing:
      break;
  }
  return active;
}

ParameterCount local_parameters(const ModelSpec& model, const Sharding& sharding,
                                const Stage& stage) {
  ParameterCount count;
  const auto add = [&](const std::vector<WeightTensor>& tensors, std::int64_t times) {
    for (const WeightTensor& tensor : tensors)
      count.by_component[static_cast<std::size_t>(tensor.component)] +=
          times * local_part(tensor, sharding).elements();
  };
  if (stage.first) add(embedding_tensors(model), 1);
  const auto layers = layers_by_kind(model, stage);
  for (std::size_t kind = 0; kind < layers.size(); ++kind)
    if (layers[kind] > 0) add(layer_tensors(model, model.kinds[kind]), layers[kind]);
  if (stage.last) add(head_tensors(model, !stage.first), 1);
  return count;
}

}  // namespace loadfactor::workload
