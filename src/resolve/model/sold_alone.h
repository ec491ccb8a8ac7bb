// Chips that are bought one by one, and what of a server they fill.
#pragma once

#include <algorithm>

#include "catalog/catalog.h"

namespace loadfactor::engine {

// Whether one of them can be bought: cards can, modules come with their board.
inline bool is_sold_alone(const catalog::AcceleratorSpec& chip) {
  return chip.form == "pcie" || chip.form == "card";
}

// How many of them the server has that they come in; where it is not known, those that are joined.
inline int gpus_of_node(const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip) {
  const auto node = catalog.find_node(chip.node);
  return node && (*node)->gpus > 0 ? (*node)->gpus : std::max(1, chip.scale_up.domain);
}

// Whether so many fill only a part of a server, which stands wherever one is: they need no rack of
// their own, nor a network.
inline bool fills_part_of_node(const catalog::AcceleratorSpec& chip, double gpus,
                               int gpus_of_node) {
  return is_sold_alone(chip) && gpus < gpus_of_node;
}

// Whole servers for so many; none where they fill a part of one.
inline int nodes_for(const catalog::AcceleratorSpec& chip, int gpus, int gpus_of_node) {
  if (fills_part_of_node(chip, gpus, gpus_of_node)) return 0;
  return (gpus + gpus_of_node - 1) / gpus_of_node;
}

}  // namespace loadfactor::engine
