// What the answer of a sizing has to add: how it came to its replicas, and what it leaves open.
#pragma once

#include "engine/fill/serve_search.h"
#include "search/serving_sizing.h"

namespace loadfactor::engine {

// Adds them to the notices of the world.
void add_search_notes(const search::SizingAnswer& sized, const SizingInputs& question,
                      const search::Outages& outages, ServingWorld& world);

}  // namespace loadfactor::engine
