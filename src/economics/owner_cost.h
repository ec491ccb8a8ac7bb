// What one owned GPU costs over time, line by line, and per hour that it works.
#pragma once

#include <array>
#include <string_view>

#include "economics/capital.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// All of one GPU and its share of the node, the network and the site.
struct OwnerTerms {
  CapitalTerms capital;
  Watts rated;                 // Provisioned and paid for as space.
  double electrical_load = 1;  // Of the rating, when it works.
  double idle_share = 1;       // Of the working draw, when it does not.
  double pue = 1;
  DollarsPerJoule electricity;
  DollarsPerJoule space;   // Colocation, per rated power and time: USD/kW-month.
  double maintenance = 0;  // Of the price, per year.
  double insurance = 0;    // Of the price, per year.
  DollarsPerSecond staff;
  DollarsPerSecond software;
  double availability = 1;  // Share of the time that it can be used.
};

// What building instead of renting space costs, spread over the building's life.
DollarsPerJoule built_space(Dollars per_megawatt, double discount, Seconds life);

struct OwnerCost {
  DollarsPerSecond capital;
  DollarsPerSecond energy;       // At the electrical load, all hours.
  DollarsPerSecond energy_idle;  // The part of it that an idle GPU draws too.
  DollarsPerSecond space;
  DollarsPerSecond maintenance;
  DollarsPerSecond insurance;
  DollarsPerSecond staff;
  DollarsPerSecond software;
  DollarsPerSecond unavailable;  // What the hours out of order add, at full load.

  DollarsPerSecond total() const {
    return capital + energy + space + maintenance + insurance + staff + software + unavailable;
  }
  // What is paid whether or not it works.
  DollarsPerSecond fixed() const { return total() - energy + energy_idle; }
  // What a GPU that works all the time pays on top.
  DollarsPerSecond working() const { return energy - energy_idle; }
  // All but the capital.
  DollarsPerSecond running() const { return total() - capital; }
  // At a load factor: fixed + load · working.
  DollarsPerSecond at(double load_factor) const { return fixed() + working() * load_factor; }
};

OwnerCost owner_cost(const OwnerTerms& terms);

// Cost of an hour that carries work: what is paid over what is used. Load above zero.
DollarsPerSecond per_useful_time(const OwnerCost& cost, double load_factor);

}  // namespace loadfactor::economics
