// How long the kernels of a training step take on a machine.
#pragma once

#include "loadfactor/quantity.h"
#include "training/job/job.h"
#include "training/step/machine.h"
#include "workload/layer_products.h"

namespace loadfactor::training {

// Forward and backward time of one piece of work.
struct PassTimes {
  Seconds forward;
  Seconds backward;
  Seconds weight{};  // Part of `backward`: gradients of weights, which a schedule may delay.

  PassTimes& operator+=(const PassTimes& other) {
    forward += other.forward;
    backward += other.backward;
    weight += other.weight;
    return *this;
  }
  friend PassTimes operator*(const PassTimes& t, double k) {
    return {t.forward * k, t.backward * k, t.weight * k};
  }
};

// What all kernels of a job share.
struct KernelContext {
  const Machine* machine = nullptr;
  const Constants* constants = nullptr;
  const StackTraits* stack = nullptr;
  Precision precision;
  Width width = Width::k16;  // Width of the layers' matrix products.
  bool frozen = false;       // No weight gradients.
  double recomputed = 1;     // Share of the layers that full recomputation covers.
};

// Tiles, partly empty last waves, pipeline fill and the memory roofline.
// `output_bytes` per element of C; 8 when the product accumulates into fp32 in place.
Seconds gemm_time(const KernelContext& context, const workload::ProductShape& shape, Width width,
                  double output_bytes = 2);

// A linear layer inner → columns over rows: forward, then input and weight gradient, with the
// casts of narrow formats. [Micikevicius 2022 for the casts]
PassTimes linear_time(const KernelContext& context, const workload::ProductShape& shape,
                      Width width);

// Core attention of `queries` tokens over `keys` mean keys per query.
struct AttentionShape {
  double queries = 0;
  double keys = 0;      // Mean over the causal (and windowed) mask.
  double sequence = 0;  // Full length; unfused kernels compute all of it.
  double heads = 0;     // On this rank.
  double key_dim = 0;
  double value_dim = 0;
  int chunks = 1;  // Kernels that the sequence is cut into, one for each rank that holds keys.
};
PassTimes attention_time(const KernelContext& context, const AttentionShape& shape);

// Products of a state-space or linear-attention scan, in 16 bit whatever the layers run in.
PassTimes scan_time(const KernelContext& context, Flops work);

// Memory traffic of pointwise kernels; `bytes` is the least that one forward pass must move.
Seconds pointwise_time(const KernelContext& context, Bytes bytes);
double pointwise_factor(const KernelContext& context);

}  // namespace loadfactor::training
