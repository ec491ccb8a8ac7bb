// One layer, one micro-batch, on one rank: kernels, exposed collectives, recomputation, host.
#pragma once

#include "catalog/spec/model_spec.h"
#include "training/step/kernel_time.h"

namespace loadfactor::training {

// The forward pass of modules that recomputation can name: products, permutations, collectives.
struct ModuleTimes {
  Seconds latent_up;
  Seconds mlp;  // Includes the shared experts.
  Seconds experts;
};

struct LayerTime {
  PassTimes gemm;
  PassTimes attention;
  PassTimes pointwise;
  PassTimes tp;  // This and the next two: exposed parts of the collectives.
  PassTimes cp;
  PassTimes ep;
  PassTimes host;     // Time that the device waits for the host.
  Seconds late;       // The part of host.backward that a host already ahead would spare.
  Seconds launch;     // What the host takes to launch both passes.
  Seconds recompute;  // Part of the backward pass.
  ModuleTimes modules;

  // So much of another layer; what its modules take stays as it is.
  void add(const LayerTime& layer, double weight);
  Seconds forward() const;
  Seconds backward() const;  // Includes recomputation.
};

// What neither sequence parallelism nor a schedule changes: products, attention, traffic.
struct LayerWork {
  LayerTime time;
  double pointwise = 0;  // Elements of 16 bit that the forward pass must move.
  double unscaled = 0;   // The same for kernels whose pass count is a constant of its own.
};

// The three parts of layer_time(): the work, what no recomputation changes, and the rest.
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
  PassTimes embedding;  // Runs on the first stage.
  PassTimes gemm;       // Runs on the last stage.
  PassTimes loss;
};
HeadTime head_time(const TrainingJob& job, const KernelContext& context);

// Tokens of one micro-batch on one rank.
double rank_tokens(const TrainingJob& job);

}  // namespace loadfactor::training
