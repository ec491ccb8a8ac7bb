// What one owned GPU costs over time, line by line.
#pragma once

#include <array>
#include <string_view>

#include "economics/capital.h"
#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// All of one GPU and its share of the node, the network and the site.
struct OwnerTerms {
  CapitalTerms capital;
  Watts rated;                 // Power that is provisioned and paid for as space.
  double electrical_load = 1;  // Share of the rating that is drawn at work.
  double idle_share = 1;       // Share of the working draw that is drawn when idle.
  double pue = 1;
  DollarsPerJoule electricity;
  DollarsPerJoule space;   // Colocation, per rated power and time: USD/kW-month.
  double maintenance = 0;  // Share of the price per year.
  double insurance = 0;    // Share of the price per year.
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
  DollarsPerSecond resale;       // What an idle GPU earns.

  DollarsPerSecond total() const {
    return capital + energy + space + maintenance + insurance + staff + software + unavailable;
  }
  // What is paid whether or not it works, if its idle hours are sold.
  DollarsPerSecond fixed() const { return total() - energy + energy_idle - resale; }
  // What a GPU that works all the time pays on top, and does not earn.
  DollarsPerSecond working() const { return energy - energy_idle + resale; }
  // All but the capital.
  DollarsPerSecond running() const { return total() - capital; }
  // At a load factor: fixed + load · working.
  DollarsPerSecond at(double load_factor) const { return fixed() + working() * load_factor; }
};

OwnerCost owner_cost(const OwnerTerms& terms);

}  // namespace loadfactor::economics
