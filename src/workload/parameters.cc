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

std::int64_t idle_parameters(const ModelSpec& model) {
  std::int64_t idle = 0;
  for (const std::uint8_t kind : model.layers) {
    const catalog::MoeSpec& moe = model.kinds[kind].moe;
    for (const WeightTensor& tensor : moe_tensors(model.hidden, moe)) {
      if (tensor.component != Component::kExperts) continue;
      idle += tensor.elements() / moe.experts * (moe.experts - moe.top_k);
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
  for (const WeightTensor& tensor : stage_tensors(model, stage)) {
    count.by_component[static_cast<std::size_t>(tensor.component)] +=
        local_part(tensor, sharding).elements();
  }
  return count;
}

}  // namespace loadfactor::workload
