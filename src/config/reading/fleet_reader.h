// The border: a file of a fleet and its text become one value.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/scenario/fleet.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

inline constexpr int kFleetVersion = 1;

// Reads the whole document and reports everything that is wrong with it; nothing is returned if
// anything is.
std::optional<Fleet> read_fleet(const Document& document, Diagnostics& diagnostics);

// A file as text, `.json` as JSON and all else as YAML, with values replaced.
std::optional<Fleet> parse_fleet(const std::string& file, const std::string& text,
                                 std::span<const std::string> assignments,
                                 Diagnostics& diagnostics);

// Every file that the fleet names, each once.
std::vector<FleetFile> files_of(const Fleet& fleet);

}  // namespace loadfactor::config
