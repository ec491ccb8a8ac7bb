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
    FolderRow{"engines/", Noun::kEngine},
};
// Folders and files that other modules read.
constexpr std::array<std::string_view, 5> kFoldersElsewhere{"schema/", "scenarios/", "calibration/",
                                                            "published/", "stacks/"};
constexpr std::array<std::string_view, 1> kFilesElsewhere{"README.md"};

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
  if (path == "glossary.yaml") return Noun::kGlossary;
  if (path == "lineup.yaml") return Noun::kLineup;
  if (path == "facility/facility.csv") return Noun::kFacility;
  if (path == "reliability/hazards.csv") return Noun::kHazards;
  if (price_table_of(path)) return Noun::kPrices;
  return std::nullopt;
}

}  // namespace loadfactor::catalog
