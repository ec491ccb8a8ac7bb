// Reads data/glossary.yaml.
#pragma once

#include <vector>

#include "catalog/load/data_file.h"
#include "catalog/spec/glossary.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// Adds the terms in file order; a term that is there already is replaced.
void load_glossary(const DataFile& file, std::vector<GlossaryTerm>& terms,
                   Diagnostics& diagnostics);

}  // namespace loadfactor::catalog
