// What machines and their site draw, whoever owns them.
#pragma once

#include "resolve/terms/cost_setup.h"

namespace loadfactor::engine {

// One GPU with its share of the node, the network and the site.
struct MachineDraw {
  Watts rated;
  double electrical_load = 1;  // Share of the rating that is drawn at work.
  double idle_share = 1;       // Share of the working draw that is drawn when idle.
  double pue = 1;

  // At a load factor, at the grid.
  Watts at(double load) const {
    return rated * (electrical_load * (idle_share + (1 - idle_share) * load) * pue);
  }
};

// As the scenario says, and for the rest as the catalogue has it; no rating where no chip is known.
MachineDraw machine_draw(CostSetup& setup);

}  // namespace loadfactor::engine
