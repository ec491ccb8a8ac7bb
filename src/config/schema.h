// The line that says what a file is and which version of its keys it uses.
#pragma once

#include <string_view>

#include "config/reader.h"

namespace loadfactor::config {

// Reads `schema: kind/version`. LF511 if it is missing, of another kind, or newer than `newest`.
// Returns the version, 0 if it cannot be used.
int check_schema(MapReader& reader, std::string_view kind, int newest);

// Reads `key: version`, as the first line of a scenario: `loadfactor: 1`.
int check_version(MapReader& reader, std::string_view key, int newest);

}  // namespace loadfactor::config
