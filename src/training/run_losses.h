// What whole runs lose beside failures, restarts and checkpoints, by name: the hours that are paid
// over those that the steady step promises.
#pragma once

#include <vector>

#include "catalog/spec/fact_table.h"
#include "loadfactor/quantity.h"

namespace loadfactor::training {

struct RunLosses {
  double evaluation = 0;      // Shares of the time that failures leave: steps wait for evaluations,
  double slow_nodes = 0;      // for hosts that are slower than the others,
  double thrown_away = 0;     // and are taken again after the loss went up.
  Seconds warm_up;            // Until the steps are steady, once in a run.
  Seconds shortest_interval;  // Between the checkpoints that people write: the range of practice;
  Seconds longest_interval;   // 0: not known.
  Seconds known_from;         // Shorter runs are not among those that the factor below is of.
  double unexplained = 1;     // Hours over those with all named losses, middle of published runs,
  double unexplained_low = 1;  // and as far as nine of ten of them lie.
  double unexplained_high = 1;
  std::vector<const catalog::Fact*> facts;

  double warming(Seconds run) const;  // Share of a run of this length.
  // The interval between checkpoints that people write where this one loses least.
  Seconds practised(Seconds best) const;
  // Share of all names together; below one.
  double named(Seconds run) const;
};

// From the catalogue's facts; what is not among them is not lost.
RunLosses read_run_losses(const std::vector<catalog::Fact>& facts);

}  // namespace loadfactor::training
