// Reads data/engines/<name>.yaml.
#pragma once

#include "catalog/load/data_file.h"
#include "catalog/spec/engine_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

EngineSpec load_engine(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
