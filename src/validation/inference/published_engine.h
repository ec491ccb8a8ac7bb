// Which generation a published result is of, by the words, release and year it gives.
#pragma once

#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "serving/engine_traits.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

struct PublishedEngine {
  const catalog::EngineSpec* engine = nullptr;
  const serving::EngineTraits* traits = nullptr;
  catalog::NarrowCache narrow_cache = catalog::NarrowCache::kNever;
  bool is_known = false;  // False: no file has a word of it.
};

// By the name in data/engines (`published`) with the most letters found in the row's engine, then
// in its version, then in its notes; an engine without such names is known by its own. LF410 where
// none fits; LF506 where it names a generation that is none.
Result<PublishedEngine> find_published(const catalog::Catalog& catalog, const InferenceRow& row);

}  // namespace loadfactor::validation
