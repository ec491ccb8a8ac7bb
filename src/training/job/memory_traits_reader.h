// Reads the `memory:` block of a file of data/stacks.
#pragma once

#include "config/reader.h"
#include "training/job/memory_traits.h"

namespace loadfactor::training {

// The block is finished; what is wrong with it is reported into its diagnostics.
MemoryTraits read_memory_traits(config::MapReader& block);

}  // namespace loadfactor::training
