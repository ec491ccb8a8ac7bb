// Says in plain words what is wrong with a text that is not YAML.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/tree_builder.h"

namespace loadfactor::config {

// From `begin` to the next blank, comma or closing bracket.
Extent yaml_word(std::string_view text, std::size_t begin);

// LF516 for the alias at `begin`.
Refusal refuse_alias(std::string_view text, std::size_t begin);

// Turns the parser's complaint at `offset` into ours.
Refusal find_yaml_mistake(std::string_view text, std::size_t offset, std::string_view complaint,
                          const TreeBuilder& builder);

}  // namespace loadfactor::config
