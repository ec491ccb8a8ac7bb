// What the tests of validation share: the shipped catalogue, stacks, constants and rows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "config/csv.h"
#include "training/step/step_fixture.h"
#include "validation/training/training_validation.h"

namespace loadfactor::validation {

inline std::vector<catalog::DataFile> shipped_files() {
  std::vector<catalog::DataFile> files;
  const std::filesystem::path root = std::string(LF_SOURCE_DIR) + "/data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    catalog::DataFile file;
    file.path = std::filesystem::relative(entry.path(), root).string();
    file.shown_as = file.path;
    file.text = training::read_data(file.path);
    file.origin = catalog::Origin::kBuiltin;
    files.push_back(std::move(file));
  }
  return files;
}

// Loaded once for all tests: the catalogue is immutable.
struct Shipped {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = shipped_files();
  catalog::Catalog catalog = catalog::Catalog::open(files, diagnostics);
  training::StackShelf stacks = training::load_stacks(files, diagnostics);
  training::CalibrationFile calibration = training::shipped_calibration();
  std::vector<TrainingRow> rows = read_rows("published/training.csv");

  RunContext context() {
    RunContext result;
    result.catalog = &catalog;
    result.stacks = &stacks;
    auto sites =
        config::parse_csv("sites.csv", training::read_data("published/sites.csv"), diagnostics);
    result.sites = read_sites(*sites, diagnostics);
    return result;
  }

  std::vector<TrainingRow> read_rows(const std::string& path) {
    auto table = config::parse_csv(path, training::read_data(path), diagnostics);
    auto result = read_training_rows(*table);
    return result ? *result : std::vector<TrainingRow>{};
  }
};

}  // namespace loadfactor::validation
