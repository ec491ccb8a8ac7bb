// Reads data/hardware/accelerators/<name>.yaml.
#pragma once

#include "catalog/load/data_file.h"
#include "catalog/spec/accelerator_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Reports everything that is wrong with the file; the entry is good only if nothing was.
AcceleratorSpec load_accelerator(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
