#include "economics/owner_cost.h"

#include "base/calendar.h"

namespace loadfactor::economics {

DollarsPerJoule built_space(Dollars per_megawatt, double discount, Seconds life) {
  const Watts megawatt = Watts::from_base(1e6);
  return capital_cost({.price = per_megawatt, .discount = discount, .life = life}) / megawatt;
}

OwnerCost owner_cost(const OwnerTerms& terms) {
  OwnerCost cost;
  cost.capital = capital_cost(terms.capital);
  cost.energy = terms.rated * terms.electrical_load * terms.pue * terms.electricity;
  cost.energy_idle = cost.energy * terms.idle_share;
  cost.space = terms.rated * terms.space;
  cost.maintenance = terms.capital.price * terms.maintenance / kYear;
  cost.insurance = terms.capital.price * terms.insurance / kYear;
  cost.staff = terms.staff;
  cost.software = terms.software;
  cost.unavailable = cost.total() * (1.0 / terms.availability - 1.0);
  return cost;
}

}  // namespace loadfactor::economics
