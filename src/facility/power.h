// Power of nodes and what they take from the grid: rated to provision, typical to bill, idle.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::facility {

// Power draw of one node.
struct NodeDraw {
  Watts rated;
  Watts typical;
  Watts idle;
};

struct ClusterPower {
  Watts rated;  // Power of the machines alone.
  Watts typical;
  Watts idle;
  Watts at_grid;  // What the site must be able to take: rated × PUE.
};
ClusterPower cluster_power(const NodeDraw& node, double nodes, double pue);

// Mean draw where a share of the time carries work: idle + load · (typical - idle).
Watts mean_power(const ClusterPower& power, double load_factor);

// Energy of a mean draw over a time, with the site's overhead.
Joules site_energy(Watts mean, double pue, Seconds time);

Dollars energy_bill(Joules energy, DollarsPerJoule price);

// Kilograms of CO2 of an energy at so many grams per kWh.
double carbon_kilograms(Joules energy, double grams_per_kwh);

}  // namespace loadfactor::facility
