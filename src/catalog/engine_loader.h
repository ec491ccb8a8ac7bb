// Reads data/engines/<name>.yaml.
#pragma once

#include "catalog/data_file.h"
#include "catalog/engine_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

EngineSpec load_engine(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
