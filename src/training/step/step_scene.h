// All of a training job but its layout and batch, with everything that follows from it alone.
//
// A scene is made once per model, chip, software, sequence, precision and number of GPUs, and
// then serves any number of layouts. It holds pointers into the constants it was made from.
#pragma once

#include <cstddef>
#include <vector>

#include "loadfactor/quantity.h"
#include "training/job/constants.h"
#include "training/job/job.h"
#include "training/step/kernel_time.h"
#include "training/step/machine.h"

namespace loadfactor::training {

struct StepScene {
  TrainingJob job;  // Its batch and its layout do not count, except layout.gpus.
  Machine machine;
  const Constants* constants = nullptr;
  bool frozen = false;
  Width width = Width::k16;      // Width of the layers' matrix products.
  int layers = 0;                // Includes those of multi-token prediction.
  std::vector<int> kind_layers;  // The same for each kind.
  double heads = 1;              // Times the head runs: once, and once per such layer.
  double dense_weights = 0;      // All layers, before ranks share them.
  double expert_weights = 0;     // The same for routed experts.
  double table_weights = 0;      // One vocabulary table.
  Flops forward_per_token;       // Without recomputation, causal attention.
  Flops attention_per_token;     // What of it has no weights.
  FlopsPerSecond peak;           // All chips at the datasheet rate.
  double straggler = 0;          // Share by which the step is lengthened.
  double pace = 1;               // Time of every part over what its term says, for this software.

  double constant(Constant c) const { return (*constants)[c]; }
  KernelContext kernel_context() const;
};

// Layers of a kind, with those of multi-token prediction, which are like the last one.
int layers_of_kind(const catalog::ModelSpec& model, std::size_t kind);

StepScene make_scene(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                     const KernelFamily& family);

// Parameters that one rank of the first or last stage holds before any data-parallel sharding.
struct RankParameters {
  double dense = 0;    // Shared by all data-parallel ranks.
  double experts = 0;  // Shared by the expert-data-parallel ranks.
  double embedding = 0;

  double total() const { return dense + experts + embedding; }
};
RankParameters rank_parameters(const StepScene& scene, const Layout& layout);
RankParameters rank_parameters(const TrainingJob& job);

// Per step and data-parallel rank; a batch that does not divide gives a broken number.
inline double micro_batches(std::int64_t global_batch, const Layout& layout) {
  const double batches =
      static_cast<double>(global_batch) / (static_cast<double>(layout.micro_batch) * layout.dp);
  return batches > 1.0 ? batches : 1.0;
}

}  // namespace loadfactor::training
