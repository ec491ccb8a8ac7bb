#include "serving/hardware.h"

#include <utility>

#include "catalog/load/calibration_loader.h"
#include "catalog/load/collective_loader.h"

namespace loadfactor::serving {

MeasuredTables read_measured(std::span<const catalog::DataFile> files, Diagnostics& diagnostics) {
  return {.kernels = catalog::load_calibrations(files, diagnostics),
          .collectives = catalog::find_collectives(files, diagnostics)};
}

HardwareShelf::HardwareShelf(const catalog::Catalog& catalog,
                             std::span<const catalog::DataFile> files, Diagnostics& diagnostics)
    : HardwareShelf(catalog,
                    std::make_shared<const MeasuredTables>(read_measured(files, diagnostics))) {}

HardwareShelf::HardwareShelf(const catalog::Catalog& catalog,
                             std::shared_ptr<const MeasuredTables> tables)
    : catalog_(&catalog), tables_(std::move(tables)) {
  for (const auto& table : tables_->kernels) {
    const auto chip = catalog.find_accelerator(table.chip);
    if (chip) measured_.push_back({*chip, &table});
  }
}

Result<const cost::ChipModel*> HardwareShelf::kernels(const catalog::AcceleratorSpec& chip) {
  auto& place = kernels_[chip.name];
  if (place == nullptr) {
    TRY(auto model, cost::ChipModel::make(chip, measured_));
    place = std::make_unique<cost::ChipModel>(std::move(model));
  }
  return static_cast<const cost::ChipModel*>(place.get());
}

Result<const collective::Network*> HardwareShelf::network(const catalog::AcceleratorSpec& chip,
                                                          bool one_shot) {
  auto& place = networks_[chip.name + (one_shot ? "+" : "-")];
  if (place == nullptr) {
    collective::Machine machine{.chip = &chip};
    if (!chip.node.empty()) {
      if (const auto node = catalog_->find_node(chip.node)) machine.node = *node;
    }
    if (chip.scale_out) {
      if (const auto fabric = catalog_->find_fabric(chip.scale_out->fabric))
        machine.fabric = *fabric;
    }
    TRY(auto network,
        collective::make_network(machine, tables_->collectives, {.one_shot = one_shot}));
    place = std::make_unique<collective::Network>(std::move(network));
  }
  return static_cast<const collective::Network*>(place.get());
}

}  // namespace loadfactor::serving
