// Bytes of a model's weights under a recipe, whole or on one accelerator.
#pragma once

#include <cstdint>

#include "catalog/spec/model_spec.h"
#include "loadfactor/quantity.h"
#include "workload/sharding.h"
#include "workload/weight_recipe.h"
#include "workload/weight_tensor.h"

namespace loadfactor::workload {

struct WeightBytes {
  Bytes converted;  // Tensors that the recipe converts.
  Bytes scales;     // Scales and zero points of the converted tensors.
  Bytes embedding;  // Token and position tables.
  Bytes head;       // Zero when tied.
  Bytes other;      // Everything else that was not converted.
  Bytes extras;     // Never converted.

  Bytes total() const { return converted + scales + embedding + head + other + extras; }
};

// Whether the recipe changes this tensor.
bool is_converted(const WeightTensor& tensor, const WeightRecipe& recipe);

// Exact bytes of the tensor itself, and of its scales and zero points.
std::int64_t data_bytes(const WeightTensor& tensor, const WeightRecipe& recipe);
std::int64_t scale_bytes(const WeightTensor& tensor, const WeightRecipe& recipe);

// As stored: what the `total_size` of a checkpoint says, multi-token prediction left out.
WeightBytes weight_bytes(const catalog::ModelSpec& model, const WeightRecipe& recipe);

// On the fullest rank of a stage. Norms and router are on every rank, tables are split by
// vocabulary, extras are on every rank of the first stage.
WeightBytes local_weight_bytes(const catalog::ModelSpec& model, const WeightRecipe& recipe,
                               const Sharding& sharding, const Stage& stage);

}  // namespace loadfactor::workload
