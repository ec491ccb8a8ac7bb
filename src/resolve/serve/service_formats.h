// In which formats weights and keys and values are kept: the words of a user, and what is meant
// where there are none.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/result.h"
#include "serving/precision.h"

namespace loadfactor::engine {

// The recipe a word such as `fp8`, `awq` or `int4` means for this model; empty or `auto`: as the
// checkpoint is stored. LF105 with the list of words otherwise.
Result<const workload::WeightRecipe*> choose_recipe(const std::string& word,
                                                    const catalog::ModelSpec& model);

// The format of keys and values; empty or `auto`: that of the activations. LF105 otherwise, and
// LF521 where the model keeps none.
Result<catalog::Dtype> choose_kv_format(const std::string& word,
                                        const workload::WeightRecipe& recipe,
                                        const catalog::ModelSpec& model);

// Both, with the kernels that compute them on this chip.
Result<serving::PrecisionChoice> choose_formats(const std::string& word,
                                                const catalog::ModelSpec& model,
                                                const catalog::AcceleratorSpec& chip);

// What the name of a checkpoint says about its weights: `…-FP8`, `…-AWQ`; empty if nothing.
std::string recipe_in_name(const std::string& name);

// The notice that the chip has no units for products in this form, where it has none.
std::optional<Notice> missing_arithmetic(const workload::WeightRecipe& recipe,
                                         const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::engine
