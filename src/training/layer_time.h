// One layer, one micro-batch, on one rank: kernels, exposed collectives, recomputation, host.
#pragma once

#include "catalog/model_spec.h"
#include "training/kernel_time.h"

namespace loadfactor::training {

struct LayerTime {
  PassTimes gemm;
  PassTimes attention;
  PassTimes pointwise;
  PassTimes tp;  // Exposed parts of the collectives.
  PassTimes cp;
  PassTimes ep;
  PassTimes host;     // The device waits for the host;
  Seconds late;       // of the backward pass, what a host that is ahead by then spares it.
  Seconds launch;     // What the host takes to launch both passes.
  Seconds recompute;  // In the backward pass.

  Seconds forward() const;
  Seconds backward() const;  // With recomputation.
};

LayerTime layer_time(const TrainingJob& job, const KernelContext& context,
                     const catalog::LayerSpec& layer);

// Embedding, final norm, logits and loss of one micro-batch, always in 16 bit.
struct HeadTime {
  PassTimes embedding;  // On the first stage.
  PassTimes gemm;       // On the last.
  PassTimes loss;
};
HeadTime head_time(const TrainingJob& job, const KernelContext& context);

// Tokens of one micro-batch on one rank.
double rank_tokens(const TrainingJob& job);

// Mean keys a query sees under a causal mask and a window (0: none).
double mean_keys(double sequence, double window);

}  // namespace loadfactor::training
