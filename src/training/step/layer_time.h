// One layer, one micro-batch, on one rank: kernels, exposed collectives, recomputation, host.
#pragma once

#include "catalog/spec/model_spec.h"
#include "training/step/kernel_time.h"

namespace loadfactor::training {

// The forward pass of modules that recomputation can name: products, permutations, collectives.
struct ModuleTimes {
  Seconds latent_up;
  Seconds mlp;  // With the shared experts.
  Seconds experts;
};

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
  ModuleTimes modules;

  Seconds forward() const;
  Seconds backward() const;  // With recomputation.
};

// What neither sequence parallelism nor a schedule changes: products, attention, traffic.
struct LayerWork {
  LayerTime time;
  double pointwise = 0;  // Elements of 16 bit moved by the forward pass at least;
  double unscaled = 0;   // the same, for kernels whose pass count is a constant of its own.
};

// The three parts of layer_time(): that, what no recomputation changes, and the rest.
LayerWork layer_work(const TrainingJob& job, const KernelContext& context,
                     const catalog::LayerSpec& layer);
LayerTime layer_kernels(const TrainingJob& job, const KernelContext& context,
                        const catalog::LayerSpec& layer, const LayerWork& work);
LayerTime with_recompute(const TrainingJob& job, const KernelContext& context,
                         const catalog::LayerSpec& layer, const LayerTime& kernels);
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

}  // namespace loadfactor::training
