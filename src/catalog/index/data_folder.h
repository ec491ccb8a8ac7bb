// The layout of data/: which noun a file holds, by its path.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace loadfactor::catalog {

enum class Noun : std::uint8_t {
  kAccelerator,
  kNode,
  kFabric,
  kModel,
  kRegion,
  kEngine,
  kPrices,
  kFacility,
  kHazards,
  kSources,
  kGlossary,
  kLineup,
  kElsewhere,  // Read by another module: schemas, scenarios, calibration.
};

// Nothing for a path that no reader knows; ignoring it in silence would hide a slip.
std::optional<Noun> noun_of(std::string_view path);

}  // namespace loadfactor::catalog
