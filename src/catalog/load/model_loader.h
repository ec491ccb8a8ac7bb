// Reads data/models/<name>.yaml.
#pragma once

#include "catalog/load/data_file.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Reports everything that is wrong with the file; the entry is good only if nothing was.
ModelSpec load_model(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
