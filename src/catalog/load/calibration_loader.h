// Reads data/calibration/<chip>/fit.yaml.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catalog/load/data_file.h"
#include "catalog/spec/calibration_table.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Nothing if the file cannot be read as a whole; everything wrong with it is reported.
std::optional<CalibrationTable> load_calibration(const DataFile& file, Diagnostics& diagnostics);

// All files named calibration/<chip>/fit.yaml among `files`; a later one replaces an earlier one
// of the same chip. Sorted by chip.
std::vector<CalibrationTable> load_calibrations(std::span<const DataFile> files,
                                                Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
