// Kernel models and networks of chips, made when first asked for.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/load/data_file.h"
#include "catalog/spec/calibration_table.h"
#include "catalog/spec/collective_table.h"
#include "collective/network.h"
#include "cost/chip_model.h"

namespace loadfactor::serving {

// What was measured of chips and of their links, as files have it.
struct MeasuredTables {
  std::vector<catalog::CalibrationTable> kernels;
  catalog::CollectiveTable collectives;
};
MeasuredTables read_measured(std::span<const catalog::DataFile> files, Diagnostics& diagnostics);

class HardwareShelf {
 public:
  HardwareShelf(const catalog::Catalog& catalog, std::shared_ptr<const MeasuredTables> tables);
  // `files` hold the kernel fits and the collective table.
  HardwareShelf(const catalog::Catalog& catalog, std::span<const catalog::DataFile> files,
                Diagnostics& diagnostics);

  // Valid as long as the shelf.
  Result<const cost::ChipModel*> kernels(const catalog::AcceleratorSpec& chip);
  // `one_shot`: the engine has its own small all-reduce.
  Result<const collective::Network*> network(const catalog::AcceleratorSpec& chip, bool one_shot);

 private:
  const catalog::Catalog* catalog_;
  std::shared_ptr<const MeasuredTables> tables_;
  std::vector<cost::MeasuredChip> measured_;
  std::map<std::string, std::unique_ptr<cost::ChipModel>> kernels_;
  std::map<std::string, std::unique_ptr<collective::Network>> networks_;
};

}  // namespace loadfactor::serving
