// The cheapest whole units of machines and API for a need that changes by the hour, exactly.
//
// Once commitments stand, hours are independent and an hour depends on its gap alone. So a stage is
// two tables over the capacity that is there, and the choice of commitments is a shortest path
// upwards in capacity: "one more unit, or stop". What is bought is whole by construction.
#pragma once

#include <optional>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor::decide {

// What a seller sells: units of so many GPUs each.
struct Unit {
  int gpus = 1;
  std::optional<int> most;         // Units that can be had; as many as wanted if left out.
  std::optional<int> spare_every;  // One spare unit is paid for each so many units begun.
};

// Units paid for over a whole term, used or not.
struct Commitment : Unit {
  Dollars cost;   // Present value of all payments for one unit.
  Dollars fixed;  // Paid once if there is any unit: a site, a contract.
};

// Units paid for by the hour.
struct Rental : Unit {
  DollarsPerSecond price;
  DollarsPerSecond fixed;  // Paid in every hour in which there is any unit.
};

// Machines that are bought: a commitment over the whole horizon that costs more while it works.
struct Purchase : Commitment {
  DollarsPerGpuSecond working;  // Power drawn above idle.
  DollarsPerGpuSecond resale;   // Earned by GPUs that are not needed.
};

// Hours that are alike. Their time carries probability and discount.
struct AlikeHours {
  Seconds time;
  int gpus = 0;                         // Needed.
  int wide = 0;                         // Among them, GPUs of replicas that fill a node each.
  std::optional<DollarsPerSecond> api;  // What the whole need costs there; none if not offered.
};

// A span of time, or one as a scenario of demand has it, in which commitments of its own can be
// made.
struct Stage {
  std::vector<Commitment> commitments;
  std::vector<Rental> rentals;
  std::vector<AlikeHours> hours;
  bool before_delivery = false;  // Machines that are bought have not arrived.
};

struct PaymentQuestion {
  int replica =
      1;           // GPUs that a replica takes; a unit holds whole replicas. 1 where some are wide.
  int node = 8;    // GPUs of the node that a wide replica fills.
  Dollars people;  // Paid as soon as there is any machine.
  std::optional<Purchase> purchase;
  std::vector<Commitment> commitments;  // Over the whole horizon.
  std::vector<Stage> stages;
};

// What a stage takes beyond the commitments of the horizon. Vectors are as long as the question's.
struct StageChoice {
  std::vector<int> commitments;  // Units.
  std::vector<Seconds> rentals;  // Units times the time they are paid for, spares not counted.
  Dollars rent;
  Dollars api;
  double api_share = 0;  // Share of the GPU time that the stage needs.
};

struct PaymentChoice {
  Dollars cost;            // Everything, over all stages.
  bool api_alone = false;  // No machine at all, and no people.
  int purchased = 0;       // Units.
  std::vector<int> commitments;
  std::vector<StageChoice> stages;
};

// Nothing if the ways together cannot carry the need.
std::optional<PaymentChoice> cheapest_payment(const PaymentQuestion& question);

}  // namespace loadfactor::decide
