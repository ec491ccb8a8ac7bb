// Chips that are bought one by one, and what of a server they fill.
#pragma once

#include "catalog/spec/accelerator_spec.h"

namespace loadfactor::engine {

// Whether one of them can be bought: cards can, modules come with their board.
inline bool is_sold_alone(const catalog::AcceleratorSpec& chip) {
  return chip.form == "pcie" || chip.form == "card";
}

// Whether so many fill only a part of a server, which stands wherever one is: they need no rack of
// their own, nor a network.
inline bool fills_part_of_node(const catalog::AcceleratorSpec& chip, double gpus,
                               int gpus_of_node) {
  return is_sold_alone(chip) && gpus < gpus_of_node;
}

}  // namespace loadfactor::engine
