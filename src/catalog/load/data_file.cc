#include "catalog/load/data_file.h"

#include "catalog/load/embedded_file.h"

namespace loadfactor::catalog {

std::vector<DataFile> builtin_files() {
  std::vector<DataFile> files;
  files.reserve(embedded_files().size());
  for (const auto& file : embedded_files()) {
    files.push_back({.path = std::string(file.path),
                     .shown_as = "builtin:" + std::string(file.path),
                     .text = std::string(file.begin, file.end),
                     .origin = Origin::kBuiltin});
  }
  return files;
}

}  // namespace loadfactor::catalog
