// A training run by the rule of six: 6 N D operations at a share of the peak.
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

struct TrainingRun {
  double parameters = 0;
  double gpus = 0;
  FlopsPerSecond peak;  // Dense, of one GPU.
  double mfu = 0;
  double goodput = 1;
};

Tokens tokens_trained(const TrainingRun& run, Seconds time);
Seconds time_to_train(const TrainingRun& run, Tokens tokens);

// A state of so many bytes per parameter, split over a number of GPUs.
Bytes state_per_gpu(double parameters, Bytes per_parameter, double ways);
// Copies of a model that n GPUs hold; whole only where the split divides them.
double replicas(double gpus, double gpus_per_replica);

}  // namespace loadfactor::economics
