// Whether two trees are alike to the last place.
#pragma once

#include <cstddef>

#include "config/document.h"

namespace loadfactor::config {

inline bool is_same_tree(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.style != b.style || a.position != b.position || a.scalar != b.scalar ||
      a.items.size() != b.items.size() || a.members.size() != b.members.size())
    return false;
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (!is_same_tree(a.items[i], b.items[i])) return false;
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    const Member& x = a.members[i];
    const Member& y = b.members[i];
    if (x.key != y.key || x.key_position != y.key_position || !is_same_tree(x.value, y.value))
      return false;
  }
  return true;
}

}  // namespace loadfactor::config
