// Reads what an engine's file says of its generations: habits, releases, chips, published names.
#pragma once

#include "catalog/spec/engine_spec.h"
#include "config/reader.h"

namespace loadfactor::catalog {

// The keys `generations`, `generations_of`, `generation`, `releases`, `chips` and `published`.
void read_generations(config::MapReader& reader, EngineSpec& spec);

}  // namespace loadfactor::catalog
