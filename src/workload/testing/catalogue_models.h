// Every model of the built-in catalogue, for tests that hold all of them to a law.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load/data_file.h"

namespace loadfactor::workload {

// Reads the catalogue anew with each call.
inline std::vector<catalog::ModelSpec> catalogue_models() {
  Diagnostics diagnostics;
  const catalog::Catalog catalog = catalog::Catalog::load(catalog::builtin_files(), diagnostics);
  EXPECT_GT(catalog.models().size(), 100U);
  return catalog.models();
}

}  // namespace loadfactor::workload
