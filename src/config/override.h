// Values of a document replaced from outside: `money.electricity=0.1 USD/kWh`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "config/document.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// Replaces values in the tree. A path runs through maps by key and through lists by number, from
// 0; maps that are missing on the way are made. Nothing behind '=' blanks a value. The values are
// read as YAML, and complaints about them point at the assignment. LF310 for a path that leads
// nowhere.
std::optional<Error> apply_overrides(Document& document, std::span<const std::string> assignments);

// The document of a text with those assignments: JSON where its file is called so, else YAML.
Result<Document> parse_overridden(const std::string& file, const std::string& text,
                                  std::span<const std::string> assignments);

}  // namespace loadfactor::config
