// Reads the block `abilities` of a stack file.
#pragma once

#include "config/reader.h"
#include "training/job/abilities.h"

namespace loadfactor::training {

// Finishes the block. What a list leaves out the software cannot do.
Abilities read_abilities(config::MapReader& block);

}  // namespace loadfactor::training
