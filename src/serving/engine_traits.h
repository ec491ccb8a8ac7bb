// What one generation of an engine does, as far as time and memory depend on it: data, from
// data/engines.
#pragma once

#include "catalog/spec/engine_generation.h"

namespace loadfactor::serving {

// Constants of a generation stand at its `index` (constants.h).
using EngineTraits = catalog::EngineGeneration;

}  // namespace loadfactor::serving
