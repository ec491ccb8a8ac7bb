#include "facility/power.h"

namespace loadfactor::facility {

ClusterPower cluster_power(const NodeDraw& node, double nodes, double pue) {
  ClusterPower power;
  power.rated = node.rated * nodes;
  power.typical = node.typical * nodes;
  power.idle = node.idle * nodes;
  power.at_grid = power.rated * pue;
  return power;
}

Watts mean_power(const ClusterPower& power, double load_factor) {
  return power.idle + (power.typical - power.idle) * load_factor;
}

Joules site_energy(Watts mean, double pue, Seconds time) {
  return mean * pue * time;
}

Dollars energy_bill(Joules energy, DollarsPerJoule price) {
  return energy * price;
}

double carbon_kilograms(Joules energy, double grams_per_kwh) {
  constexpr double kJoulesPerKwh = 3.6e6;
  return energy.base() / kJoulesPerKwh * grams_per_kwh / 1000.0;
}

}  // namespace loadfactor::facility
