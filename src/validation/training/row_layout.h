// The layout, precision and fabric of a row, with rules for what a source leaves out. No rule
// looks at what was measured.
#pragma once

#include "training/job/job.h"
#include "validation/training/training_row.h"

namespace loadfactor::validation {

struct RowLayout {
  training::Layout layout;
  training::Precision precision;
  training::FabricOverride fabric;
  std::int64_t global_batch = 0;
  bool micro_batch_known = true;
  bool recompute_known = true;
  bool complete = true;  // GPUs, batch and parallel sizes are stated or follow from others.
};

// Needs the row's GPUs; the stack decides what "selective" and "default" mean.
RowLayout layout_of_row(const TrainingRow& row, const training::StackTraits& stack,
                        const catalog::AcceleratorSpec& chip, int num_layers);

// Without a pipeline, whoever publishes fills the memory: the most sequences, twice as many again
// and again, that fit without more recomputation and leave whole micro-batches. A pipeline wants
// many micro-batches, so they stay single there.
std::int64_t likely_micro_batch(const training::TrainingJob& job);

// The lightest recomputation with which the job fits, by a rule-of-thumb count of memory.
training::RecomputeKind likely_recompute(const training::TrainingJob& job);

}  // namespace loadfactor::validation
