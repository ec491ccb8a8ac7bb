// What whole runs lose beside failures, restarts and checkpoints, by name: the hours that are paid
// over those that the steady step promises.
//
// The factor that nobody has explained and the warm-up are known of whole runs, the shortest of
// which took `known_from`. Of shorter runs both grow with the length, from nothing, so that a
// longer run never takes less time than a shorter one, nor is it surer.
#pragma once

#include <vector>

#include "catalog/spec/fact_table.h"
#include "loadfactor/quantity.h"

namespace loadfactor::training {

// The paid time of a run, loss by loss.
struct RunTime {
  Seconds kept;    // What failures and checkpoints leave.
  Seconds shared;  // With evaluations, slow nodes and steps taken again,
  Seconds named;   // with the warm-up,
  Seconds paid;    // and with what is not explained.
  double low = 1;  // Where nine of ten whole runs end, over `paid`.
  double high = 1;
};

struct RunLosses {
  double evaluation = 0;      // Shares of the time that failures leave: steps wait for evaluations,
  double slow_nodes = 0;      // for hosts that are slower than the others,
  double thrown_away = 0;     // and are taken again after the loss went up.
  Seconds warm_up;            // Until the steps are steady, once in a run.
  Seconds shortest_interval;  // Between the checkpoints that people write: the range of practice;
  Seconds longest_interval;   // 0: not known.
  double most_to_habit = 1;   // Share of time up to which people keep that interval.
  Seconds known_from;         // Shorter runs are not among those that the factor below is of.
  double unexplained = 1;     // Hours over those with all named losses, middle of published runs,
  double unexplained_low = 1;  // and as far as nine of ten of them lie.
  double unexplained_high = 1;
  std::vector<const catalog::Fact*> facts;

  double shares() const;  // All losses that are shares, together; below one.
  // The interval between checkpoints that people write where this one loses least.
  Seconds practised(Seconds best) const;
  // The paid time of a run to which failures and checkpoints leave so much.
  RunTime pay(Seconds kept) const;
};

// From the catalogue's facts; what is not among them is not lost.
RunLosses read_run_losses(const std::vector<catalog::Fact>& facts);

}  // namespace loadfactor::training
