// What renting costs beyond the price per hour, and what interruptions add to spot.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// A rented fleet. The eight lines of a cluster's bill: GPUs, storage, egress, control plane and
// support, goodput, set-up, debugging, and a floor that is paid whether used or not.
struct RentTerms {
  DollarsPerSecond price;   // Price of one GPU.
  double commit_floor = 0;  // Share of the fleet's hours that is billed at least.
  double support = 0;       // Share on top of the GPU bill.
  double goodput_loss = 0;  // Share of hours lost to the provider's faults.
  double surcharge = 0;     // Share on top of the price for a managed platform.
  DollarsPerSecond storage;
  DollarsPerSecond egress;
  DollarsPerSecond debugging;
  Dollars setup;
  Seconds term;  // Time that the set-up cost is spread over.
};

struct RentCost {
  DollarsPerSecond gpus;
  DollarsPerSecond surcharge;
  DollarsPerSecond support;
  DollarsPerSecond goodput;
  DollarsPerSecond storage;
  DollarsPerSecond egress;
  DollarsPerSecond debugging;
  DollarsPerSecond setup;
  DollarsPerSecond total() const {
    return gpus + surcharge + support + goodput + storage + egress + debugging + setup;
  }
};

// `used` of `committed` GPUs on average; at least the floor of the committed ones is billed.
RentCost rent_cost(const RentTerms& terms, double used, double committed);

// A share interrupted within a period as a hazard per time.
Hertz interruption_hazard(double share, Seconds period);

struct SpotTerms {
  Hertz hazard;     // Interruptions of one node.
  Seconds loss;     // Work lost and restart, per interruption of the gang.
  double gang = 1;  // Nodes that stop together.
  Seconds wait;     // Wait for capacity per interruption; nothing is paid meanwhile.
};
// Hours paid per useful hour. First order while m·λ·x is small; beyond 0.3 the exact e^(m·λ·x).
double spot_multiplier(const SpotTerms& terms);
// Share of calendar time that a gang is without capacity.
double spot_waiting_share(const SpotTerms& terms);

}  // namespace loadfactor::economics
