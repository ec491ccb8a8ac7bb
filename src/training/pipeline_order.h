// In which order the ranks of a pipeline run their passes, schedule by schedule.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "training/layout.h"

namespace loadfactor::training {

enum class Pass : std::uint8_t {
  kForward,
  kBackward,  // Both gradients, or where the schedule splits them that of the input.
  kWeight,    // Gradient of the weights, where the schedule splits them.
};

// Virtual stages are numbered along the way of a micro-batch. Of kInterleaved stage s is chunk
// s / ranks of rank s mod ranks; of kZeroBubbleV the second half runs back over the ranks; of
// kDualPipe micro-batches of odd number run from the last rank to the first.
struct PipelineForm {
  Schedule schedule = Schedule::k1F1B;
  int ranks = 1;
  int chunks = 1;
  std::int64_t micro_batches = 1;

  int stages() const { return ranks * chunks; }
  friend auto operator<=>(const PipelineForm&, const PipelineForm&) = default;
};

struct PlannedTask {
  Pass pass = Pass::kForward;
  std::int16_t rank = 0;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;
};

bool splits_backward(Schedule schedule);

// Every pass once, after all that it needs; the passes of a rank in the order it runs them.
std::vector<PlannedTask> plan_order(const PipelineForm& form);

}  // namespace loadfactor::training
