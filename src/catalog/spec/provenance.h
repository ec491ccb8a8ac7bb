// Where a fact comes from: its kind, source and date, and the file and line that state it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loadfactor::catalog {

// Ordered from the best support to the weakest.
enum class SourceKind : std::uint8_t { kMeasured, kDatasheet, kPublished, kAssumed };

struct Provenance {
  SourceKind kind = SourceKind::kAssumed;
  std::vector<std::string> sources;  // Ids of data/SOURCES.md.
  std::string date;                  // YYYY, YYYY-MM or YYYY-MM-DD.
  std::string file;                  // Where the fact stands, for `explain` and overlays.
  std::uint32_t line = 0;
};

}  // namespace loadfactor::catalog
