// The matrix products of a layer one by one, for whoever shows what a step consists of.
#pragma once

#include <string_view>
#include <vector>

#include "catalog/spec/model_spec.h"
#include "training/step/kernel_time.h"
#include "workload/weight_tensor.h"

namespace loadfactor::training {

struct TimedProduct {
  workload::ProductRole role = workload::ProductRole::kNone;
  workload::ProductShape shape;  // Forward, of one micro-batch on one rank.
  double stretch = 1;            // Time over that of an even dense product: experts are neither.
  PassTimes time;                // Stretched.
};

// Their times sum to `gemm` of layer_work().
std::vector<TimedProduct> timed_products(const TrainingJob& job, const KernelContext& context,
                                         const catalog::LayerSpec& layer);

}  // namespace loadfactor::training
