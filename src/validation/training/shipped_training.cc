#include "validation/training/shipped_training.h"

#include "config/csv.h"

namespace loadfactor::validation {

RunContext ShippedTraining::context(const catalog::Catalog& catalog) const {
  RunContext result;
  result.catalog = &catalog;
  result.stacks = &stacks;
  result.sites = sites;
  return result;
}

ShippedTraining load_shipped_training(const std::vector<catalog::DataFile>& files,
                                      Diagnostics& diagnostics) {
  ShippedTraining result;
  result.stacks = training::load_stacks(files, diagnostics);
  for (const catalog::DataFile& file : files) {
    if (file.path == "calibration/training.yaml") {
      result.calibration = training::load_calibration(file, diagnostics);
    }
    if (file.path == "calibration/crossval.csv") result.crossval = file.text;
    if (file.path == "published/production-runs.csv") result.production = file.text;
    const bool runs = file.path == "published/training.csv";
    if (!runs && file.path != "published/sites.csv") continue;
    auto table = config::parse_csv(file.shown_as, file.text, diagnostics);
    if (!table) {
      diagnostics.add(std::move(table).error());
      continue;
    }
    if (!runs) {
      result.sites = read_sites(*table, diagnostics);
      continue;
    }
    auto rows = read_training_rows(*table);
    if (rows) {
      result.rows = *std::move(rows);
    } else {
      diagnostics.add(std::move(rows).error());
    }
  }
  return result;
}

}  // namespace loadfactor::validation
