// Failures in money: how often a gang stops, what checkpoints cost, how many spares to keep.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

// Failures of one GPU per time, from a count over GPUs and time.
Hertz hazard_per_gpu(double failures, double gpus, Seconds time);
// Mean time to interruption of a gang of GPUs, any of which stops it.
Seconds mean_time_to_interruption(Hertz hazard, double gpus);

// Seconds to write a checkpoint.
Seconds checkpoint_time(Bytes state, BytesPerSecond bandwidth);
// √(2 δ M) [Young 1974].
Seconds checkpoint_interval(Seconds checkpoint, Seconds interruption);

struct DowntimeTerms {
  Seconds checkpoint;  // That the run stands still for.
  Seconds interval;
  Seconds interruption;  // Mean time to.
  Seconds restart;       // With detection.
};
// δ/τ + τ/2M: what checkpoints and lost steps take.
double checkpoint_overhead(const DowntimeTerms& terms);
// 1 - (δ/τ + τ/2M + R/M).
double goodput(const DowntimeTerms& terms);

// Mean number of nodes in repair.
double nodes_in_repair(double nodes, Hertz hazard_per_node, Seconds repair);
// Spares for which the rest is complete with a probability, nodes in repair being Poisson.
int spares_for(double in_repair, double probability);

}  // namespace loadfactor::economics
