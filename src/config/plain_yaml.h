// The YAML that nearly every file of ours is written in, read in one pass.
//
// Block maps and lists, flow maps and lists, words, text folded by `>-`, quotes without escapes.
// yaml-cpp takes ten times as long, which is half of what a short question costs. Whatever is not
// certainly of this kind, or is wrong, is declined: yaml-cpp reads it from the start and says what
// is wrong.
#pragma once

#include <string_view>

#include "config/tree_builder.h"

namespace loadfactor::config {

// True where the tree is the one that yaml-cpp's events grow; the builder is of no use otherwise.
bool read_plain_yaml(std::string_view text, TreeBuilder& builder);

}  // namespace loadfactor::config
