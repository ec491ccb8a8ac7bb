#include "catalog/data_folder.h"

#include <array>

#include "catalog/price_loader.h"

namespace loadfactor::catalog {
namespace {

struct FolderRow {
  std::string_view folder;
  Noun noun;
};
// One file per entry, named after it.
constexpr std::array kFolders{
    FolderRow{"hardware/accelerators/", Noun::kAccelerator},
    FolderRow{"hardware/nodes/", Noun::kNode},
    FolderRow{"hardware/fabrics/", Noun::kFabric},
    FolderRow{"models/", Noun::kModel},
    FolderRow{"regions/", Noun::kRegion},
};
// Folders and files that other modules read.
constexpr std::array<std::string_view, 5> kFoldersElsewhere{"schema/", "scenarios/", "calibration/",
                                                            "published/", "engines/"};
constexpr std::array<std::string_view, 3> kFilesElsewhere{"README.md", "glossary.yaml",
                                                          "lineup.yaml"};

}  // namespace

std::optional<Noun> noun_of(std::string_view path) {
  for (const auto& row : kFolders) {
    if (!path.starts_with(row.folder)) continue;
    const std::string_view name = path.substr(row.folder.size());
    const bool is_entry = name.ends_with(".yaml") && name.find('/') == std::string_view::npos;
    return is_entry ? std::optional(row.noun) : std::nullopt;
  }
  for (const auto folder : kFoldersElsewhere) {
    if (path.starts_with(folder)) return Noun::kElsewhere;
  }
  for (const auto file : kFilesElsewhere) {
    if (path == file) return Noun::kElsewhere;
  }
  if (path == "SOURCES.md") return Noun::kSources;
  if (path == "facility/facility.csv") return Noun::kFacility;
  if (path == "reliability/hazards.csv") return Noun::kHazards;
  if (price_table_of(path)) return Noun::kPrices;
  return std::nullopt;
}

}  // namespace loadfactor::catalog
