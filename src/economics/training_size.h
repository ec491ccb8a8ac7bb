// How many GPUs a training run should have when waiting costs money too.
//
// T(n) = W / (n e(n)) with e(n) = 1 / (1 + a (n - 1)): a is the share of work that more GPUs do
// not divide. Cost = n c T + D T, smallest at n* = √(D (1-a) / (c a)).
#pragma once

#include "loadfactor/quantity.h"

namespace loadfactor::economics {

using GpuTime = Quantity<Dimension{.time = 1, .gpu = 1}>;

struct TrainingTerms {
  GpuTime work;            // Time on one GPU, without any loss.
  double serial = 0;       // The share a of the formula above.
  DollarsPerSecond gpu;    // Price of one GPU.
  DollarsPerSecond delay;  // Cost of the time until the result is there.
};

Seconds training_time(const TrainingTerms& terms, double gpus);
Dollars training_cost(const TrainingTerms& terms, double gpus);
// Not rounded; infinite where nothing is lost to scale.
double best_training_size(const TrainingTerms& terms);
// What the run saves by one GPU more than n.
Dollars next_gpu_value(const TrainingTerms& terms, double gpus);

// The next serving GPU: the tokens it would serve at the price they fetch, less what it costs.
// `unserved` is demand beyond the full plane; nothing is earned where demand is met.
DollarsPerSecond next_serving_gpu_value(TokensPerSecond unserved, TokensPerSecond per_gpu,
                                        DollarsPerToken price, DollarsPerSecond cost);

}  // namespace loadfactor::economics
