// Files of other people that become entries of ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/ask.h"

namespace loadfactor::facade {

struct Import {
  OutputFile file;                   // A file of an overlay.
  std::vector<std::string> remarks;  // What was taken, and what was not.
};

// Nothing, and the reasons, where the files are not what they should be.
std::optional<Import> import_files(const catalog::Catalog& catalog, const CatalogQuestion& question,
                                   Diagnostics& diagnostics);

}  // namespace loadfactor::facade
