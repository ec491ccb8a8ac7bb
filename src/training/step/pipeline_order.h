// In which order the ranks of a pipeline run their passes, schedule by schedule.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/job/layout.h"

namespace loadfactor::training {

enum class Pass : std::uint8_t {
  kForward,
  kBackward,  // Both gradients, or where the schedule splits them that of the input.
  kWeight,    // Gradient of the weights, where the schedule splits them.
};

// Virtual stages are numbered along the way of a micro-batch. Under kInterleaved stage s is chunk
// s / ranks of rank s mod ranks; under kZeroBubbleV the second half runs back over the ranks; under
// kDualPipe micro-batches of odd number run from the last rank to the first.
struct PipelineForm {
  Schedule schedule = Schedule::k1F1B;
  int ranks = 1;
  int chunks = 1;
  std::int64_t micro_batches = 1;
  // How long gradients of inputs and of weights take, in quarters of a forward pass: what a planner
  // of kZeroBubbleV or kDualPipe goes by. The other schedules have one order for all.
  int backward_quarters = 4;
  int weight_quarters = 4;

  int stages() const { return ranks * chunks; }
  friend auto operator<=>(const PipelineForm&, const PipelineForm&) = default;
};

struct PlannedTask {
  Pass pass = Pass::kForward;
  std::int16_t rank = 0;
  std::int32_t stage = 0;
  std::int32_t micro_batch = 0;

  friend bool operator==(const PlannedTask&, const PlannedTask&) = default;
};

bool splits_backward(Schedule schedule);

// Every pass once, after all that it needs; the passes of a rank in the order it runs them.
std::vector<PlannedTask> plan_order(const PipelineForm& form);

// Whether so many micro-batches are some of an order's own and a whole number of shifts.
inline bool can_serve(std::int64_t own, std::int64_t shift, std::int64_t count) {
  if (count == own) return true;
  return shift > 0 && count > own && (count - own) % shift == 0;
}

// An order with the repetitions left out. Tasks [cycle_begin, cycle_end) may be run any number of
// times, each time `shift` micro-batches further on; with n more of them, and the tasks behind
// n · shift micro-batches further on, it is the order of a form with `micro_batches` + n · shift.
struct CyclicOrder {
  std::vector<PlannedTask> tasks;
  std::int64_t micro_batches = 0;
  std::size_t cycle_begin = 0;
  std::size_t cycle_end = 0;
  std::int64_t shift = 0;  // 0: nothing repeats.
  int span = 1;            // Cycles that a task waits for: its own is 1.

  bool serves(std::int64_t count) const { return can_serve(micro_batches, shift, count); }
};

// As short as its repetitions allow; those of kInterleaved with whole rounds are found.
CyclicOrder plan_cyclic_order(const PipelineForm& form);

// The same in full; equal to plan_order(). For tests.
std::vector<PlannedTask> unrolled(const CyclicOrder& order, std::int64_t micro_batches);

}  // namespace loadfactor::training
