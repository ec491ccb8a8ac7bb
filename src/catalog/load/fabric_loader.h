// Reads data/hardware/fabrics/<name>.yaml.
#pragma once

#include "catalog/load/data_file.h"
#include "catalog/spec/fabric_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Reports everything that is wrong with the file; the entry is good only if nothing was.
FabricSpec load_fabric(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
