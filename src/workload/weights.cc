#include "workload/weights.h"

#include <cmath>
#include <vector>

namespace loadfactor::workload {
namespace {

using catalog::ModelSpec;

std::int64_t bytes_of_bits(std::int64_t elements, std::int64_t bits) {
  return (elements * bits + 7) / 8;
}

std::int64_t stored_bits(catalog::Dtype dtype) {
  return static_cast<std::int64_t>(catalog::row(dtype).bits);
}

Bytes exact(std::int64_t bytes) {
  return Bytes::from_base(static_cast<double>(bytes));
}

// Scales of one copy of a tensor.
std::int64_t num_scales(const WeightTensor& t, const WeightRecipe& recipe) {
  switch (recipe.scale) {
    case ScaleOver::kNone:
      return 0;
    case ScaleOver::kTensor:
      return 1;
    case ScaleOver::kRow:
      return t.rows;
    case ScaleOver::kGroup:
      return t.rows * share_of(t.columns, recipe.group);
    case ScaleOver::kBlock:
      break;
  }
  return share_of(t.rows, recipe.group) * share_of(t.columns, recipe.group);
}

// `times`: so many alike.
void add_tensor(const WeightTensor& tensor, const WeightRecipe& recipe, int times,
                WeightBytes& sum) {
  const Bytes data = exact(times * data_bytes(tensor, recipe));
  sum.scales += exact(times * scale_bytes(tensor, recipe));
  if (is_converted(tensor, recipe)) {
    sum.converted += data;
  } else if (tensor.component == Component::kEmbedding ||
             tensor.component == Component::kPositions) {
    sum.embedding += data;
  } else if (tensor.component == Component::kHead) {
    sum.head += data;
  } else {
    sum.other += data;
  }
}

}  // namespace

bool is_converted(const WeightTensor& tensor, const WeightRecipe& recipe) {
  if (!tensor.is_linear()) return false;
  const Component component = tensor.component;
  const bool experts = component == Component::kExperts;
  const bool feed_forward =
      experts || component == Component::kMlp || component == Component::kSharedExperts;
  switch (recipe.converts) {
    case Converts::kNothing:
      return false;
    case Converts::kExperts:
      return experts;
    case Converts::kFeedForward:
      return feed_forward;
    case Converts::kAllLinears:
      break;
  }
  return feed_forward || component == Component::kAttention;
}

std::int64_t data_bytes(const WeightTensor& tensor, const WeightRecipe& recipe) {
  const catalog::Dtype dtype = is_converted(tensor, recipe) ? recipe.stored : recipe.plain;
  return bytes_of_bits(tensor.elements(), stored_bits(dtype));
}

std::int64_t scale_bytes(const WeightTensor& tensor, const WeightRecipe& recipe) {
  if (!is_converted(tensor, recipe)) return 0;
  const std::int64_t scales = num_scales(tensor, recipe);
  const std::int64_t one = bytes_of_bits(scales, recipe.scale_bits) +
                           bytes_of_bits(scales, recipe.zero_bits) + recipe.bytes_per_tensor +
                           tensor.columns * recipe.bytes_per_column;
  return one * tensor.copies;
}

WeightBytes weight_bytes(const ModelSpec& model, const WeightRecipe& recipe) {
  return local_weight_bytes(model, recipe, Sharding{}, whole_model(model));
}

WeightBytes local_weight_bytes(const ModelSpec& model, const WeightRecipe& recipe,
                               const Sharding& sharding, const Stage& stage) {
  WeightBytes sum;
  const auto add = [&](const std::vector<WeightTensor>& tensors, int times) {
    for (const WeightTensor& tensor : tensors)
      add_tensor(local_part(tensor, sharding), recipe, times, sum);
  };
  if (stage.first) add(embedding_tensors(model), 1);
  // Layers of a kind are alike, and models have many layers of few kinds.
  std::vector<int> layers_of_kind(model.kinds.size());
  for (const int layer : stage.layers)
    ++layers_of_kind[model.layers[static_cast<std::size_t>(layer)]];
  for (std::size_t kind = 0; kind < layers_of_kind.size(); ++kind)
    if (layers_of_kind[kind] > 0)
      add(layer_tensors(model, model.kinds[kind]), layers_of_kind[kind]);
  if (stage.last) add(head_tensors(model, !stage.first), 1);
  if (stage.first) {
    for (const auto& extra : model.extras) {
      sum.extras += exact(bytes_of_bits(extra.parameters, stored_bits(recipe.plain)));
    }
  }
  return sum;
}

}  // namespace loadfactor::workload
