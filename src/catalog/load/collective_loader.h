// Reads data/calibration/collectives.yaml.
#pragma once

#include <span>

#include "catalog/load/data_file.h"
#include "catalog/spec/collective_table.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Everything wrong with the file is reported.
CollectiveTable load_collectives(const DataFile& file, Diagnostics& diagnostics);

// The file named calibration/collectives.yaml among `files`, the last if there are several; an
// empty table if there is none.
CollectiveTable find_collectives(std::span<const DataFile> files, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
