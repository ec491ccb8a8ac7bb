// From what a user wrote to what the memory division needs: names resolved, defaults chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/estimate.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "serving/memory.h"
#include "serving/precision.h"

namespace loadfactor::engine {

using serving::BytesRange;
using serving::count_kv_tokens;
using serving::count_sequences;
using serving::DeploymentMemory;
using serving::divide_memory;
using serving::End;
using serving::GpuMemory;
using serving::ServingSetup;

struct FitSetup {
  ServingSetup serving;
  std::shared_ptr<const catalog::ModelSpec> imported;  // Owns a model read from a config.json.
  std::int64_t context = 0;
  int ep = 1;
  std::vector<Notice> notices;
};

// LF401, LF402, LF406 for names, LF105 for a dtype, LF104 for a context beyond the model's,
// LF207 for numbers out of range, and whatever the import of a config reports.
Result<FitSetup> make_fit_setup(const FitRequest& request, const catalog::Catalog& catalog);

// The recipe a word such as `fp8`, `awq` or `int4` means for this model; empty: as released.
// LF105 with the list of words otherwise.
Result<const workload::WeightRecipe*> choose_recipe(const std::string& word,
                                                    const catalog::ModelSpec& model);

// The same with the kernels that compute it on this chip.
Result<serving::PrecisionChoice> choose_formats(const std::string& word,
                                                const catalog::ModelSpec& model,
                                                const catalog::AcceleratorSpec& chip);

// What to say where the chip has no units for products in this form.
std::optional<std::string> missing_arithmetic(const workload::WeightRecipe& recipe,
                                              const catalog::AcceleratorSpec& chip);

}  // namespace loadfactor::engine
