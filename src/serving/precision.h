// From the word of a precision to kernels and to stored bytes, on one chip for one model.
#pragma once

#include <string_view>

#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/model_spec.h"
#include "serving/deployment.h"
#include "workload/weight_recipe.h"

namespace loadfactor::serving {

struct PrecisionChoice {
  ServingPrecision kernels;  // `kv` is left at 16 bits.
  const workload::WeightRecipe* recipe = nullptr;
};

// Words that begin like no format are the model's own.
bool is_known_precision(std::string_view word);

// `fp8`, `nvfp4`, `mxfp4`, `fp8-weights/bf16`, `int4` …; 16 bits for a word nobody knows, with
// `recipe` null.
PrecisionChoice choose_precision(std::string_view word, const catalog::ModelSpec& model,
                                 const catalog::AcceleratorSpec& chip);

bool has_latent_attention(const catalog::ModelSpec& model);

}  // namespace loadfactor::serving
