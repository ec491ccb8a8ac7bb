// `calibrate kernels`: measured tables in, texts of data/calibration out.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/kernels/kernels_fitter.h"
#include "calibrate/kernels/kernels_table.h"
#include "catalog/spec/accelerator_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

struct KernelCalibration {
  struct Chip {
    const catalog::AcceleratorSpec* spec = nullptr;
    std::vector<GroupFit> groups;                   // Sorted by key.
    std::vector<std::vector<std::string>> sources;  // One list per group.
    std::vector<LaunchSample> launches;
    std::vector<PowerSample> power;
  };
  std::vector<Chip> chips;  // Sorted by name.
};

// Finds a chip of the catalogue by the word a table uses; nullptr if there is none.
using SpecFinder = std::function<const catalog::AcceleratorSpec*(std::string_view)>;

struct KernelCalibrationOptions {
  std::string date;  // When it was measured, YYYY or YYYY-MM, for provenance.
  int folds = 10;
  int least_points = 4;  // Groups with fewer samples are left out.
};

KernelCalibration calibrate_kernels(std::span<const KernelTableFile> files, const SpecFinder& find,
                                    Diagnostics& diagnostics,
                                    const KernelCalibrationOptions& options = {});

// The text of data/calibration/<chip>/fit.yaml.
std::string fit_yaml(const KernelCalibration::Chip& chip, const KernelCalibrationOptions& options);

// The error table of docs/models/kernels.md: one row per chip and kernel class with the median
// and 90 % point of |error| in sample and by leaving shapes out.
std::string kernel_error_table(const KernelCalibration& calibration);

}  // namespace loadfactor::calibrate
