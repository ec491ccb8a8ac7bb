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
#include "resolve/serve/service_formats.h"
#include "serving/memory.h"

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
Result<FitSetup> make_fit_setup(const FitInputs& request, const catalog::Catalog& catalog);

}  // namespace loadfactor::engine
