#include "catalog/index/data_folder.h"

#include <array>

#include "catalog/load/price_loader.h"

namespace loadfactor::catalog {
namespace {

struct PlaceRow {
  std::string_view path;
  Noun noun;
};
// One file per entry, named after it.
constexpr std::array kFolders{
    PlaceRow{"hardware/accelerators/", Noun::kAccelerator},
    PlaceRow{"hardware/nodes/", Noun::kNode},
    PlaceRow{"hardware/fabrics/", Noun::kFabric},
    PlaceRow{"models/", Noun::kModel},
    PlaceRow{"regions/", Noun::kRegion},
    PlaceRow{"engines/", Noun::kEngine},
};
// Files that stand alone.
constexpr std::array kFiles{
    PlaceRow{"SOURCES.md", Noun::kSources},
    PlaceRow{"glossary.yaml", Noun::kGlossary},
    PlaceRow{"lineup.yaml", Noun::kLineup},
    PlaceRow{"site.yaml", Noun::kElsewhere},
    PlaceRow{"site-serving.yaml", Noun::kElsewhere},
    PlaceRow{"facility/facility.csv", Noun::kFacility},
    PlaceRow{"reliability/hazards.csv", Noun::kHazards},
    PlaceRow{"README.md", Noun::kElsewhere},
};
// Folders that other modules read.
constexpr std::array<std::string_view, 8> kFoldersElsewhere{
    "schema/",    "scenarios/", "sweeps/", "calibration/",
    "published/", "stacks/",    "demand/", "integrations/"};

// The noun of an entry; nothing for a file in an entries' folder that is no entry.
std::optional<Noun> noun_of_entry(const PlaceRow& folder, std::string_view path) {
  const std::string_view name = path.substr(folder.path.size());
  const bool is_entry = name.ends_with(".yaml") && name.find('/') == std::string_view::npos;
  return is_entry ? std::optional(folder.noun) : std::nullopt;
}

}  // namespace

std::optional<Noun> noun_of(std::string_view path) {
  for (const auto& folder : kFolders) {
    if (path.starts_with(folder.path)) return noun_of_entry(folder, path);
  }
  for (const auto& file : kFiles) {
    if (path == file.path) return file.noun;
  }
  for (const auto folder : kFoldersElsewhere) {
    if (path.starts_with(folder)) return Noun::kElsewhere;
  }
  if (price_table_of(path)) return Noun::kPrices;
  return std::nullopt;
}

}  // namespace loadfactor::catalog
