// Reads data/glossary.yaml.
#pragma once

#include <vector>

#include "catalog/data_file.h"
#include "catalog/glossary.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// The terms in file order.
std::vector<Term> load_glossary(const DataFile& file, Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
