// What can be made of any tree: JSON, and a page of documentation from a schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/value.h"

namespace loadfactor::report {

// Pretty-printed, ending in a newline.
std::string print_json(const Value& value);
// On one line, for a place inside another text.
std::string print_compact_json(const Value& value);

// The tree without members of these names at its top.
Value without(Value object, const std::vector<std::string_view>& keys);

// A Markdown table of all fields that a schema describes. The path of a field in a list has `[]`.
std::string docs_table(const Value& schema);

}  // namespace loadfactor::report
