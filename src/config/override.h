// Values of a scenario replaced from outside: `money.electricity=0.1 USD/kWh`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/scenario.h"
#include "loadfactor/result.h"

namespace loadfactor::config {

// Replaces values in the tree. A path runs through maps by key and through lists by number, from
// 0; maps that are missing on the way are made. Nothing behind '=' blanks a value. The values are
// read as YAML, and complaints about them point at the assignment. LF310 for a path that leads
// nowhere.
std::optional<Error> apply_overrides(Document& document, std::span<const std::string> assignments);

// A scenario's text with assignments behind it, that go wherever the text goes: parse_scenario
// takes them off and applies them before its own. No file can hold what parts them.
std::string with_overrides(std::string text, std::span<const std::string> assignments);
// The assignments that a text carries.
std::vector<std::string> overrides_in(std::string_view text);

// A scenario file as text, `.json` as JSON and all else as YAML, with values replaced. The document
// stays usable for complaints.
std::optional<Document> parse_scenario(const std::string& file, const std::string& text,
                                       std::span<const std::string> assignments,
                                       Diagnostics& diagnostics);

}  // namespace loadfactor::config
