// What the tests of serving share: the shipped catalogue, kernels and constants.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "serving/calibration_file.h"
#include "serving/closed_form.h"
#include "serving/hardware.h"
#include "serving/precision.h"

namespace loadfactor::serving {

inline std::vector<catalog::DataFile> shipped_files() {
  std::vector<catalog::DataFile> files;
  const std::filesystem::path root = std::string(LF_SOURCE_DIR) + "/data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path());
    std::stringstream text;
    text << stream.rdbuf();
    const auto path = std::filesystem::relative(entry.path(), root).string();
    files.push_back({path, path, text.str(), catalog::Origin::kBuiltin});
  }
  return files;
}

// Loaded once for all tests of a binary: everything in it is only read.
struct Shipped {
  Diagnostics diagnostics;
  std::vector<catalog::DataFile> files = shipped_files();
  catalog::Catalog catalog = catalog::Catalog::open(files, diagnostics);
  ServingCalibration calibration =
      find_serving_calibration(files, catalog.generations(), diagnostics);
  Constants constants = calibration.values();
  HardwareShelf hardware{catalog, files, diagnostics};

  const EngineTraits& traits(std::string_view generation) const {
    return *catalog.find_generation(generation);
  }
  StepModel step(const std::string& model, const std::string& chip, const std::string& precision,
                 ServingLayout layout = {}, std::string_view generation = "vllm-v1") {
    const auto* spec = *catalog.find_model(model);
    const auto* accelerator = *catalog.find_accelerator(chip);
    const auto& engine = traits(generation);
    return StepModel({spec, accelerator, *hardware.kernels(*accelerator),
                      *hardware.network(*accelerator, engine.one_shot), &engine,
                      choose_precision(precision, *spec, *accelerator).kernels, layout, false});
  }
};

inline Shipped& shipped() {
  static Shipped instance;
  return instance;
}

}  // namespace loadfactor::serving
