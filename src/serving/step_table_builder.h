// The step model as a table of whole picoseconds, for the simulator.
#pragma once

#include "serving/step.h"
#include "sim/step_table.h"

namespace loadfactor::serving {

struct StepTableLimits {
  int max_sequences = 256;
  int max_tokens = 8192;         // Of one step; at least max_sequences.
  std::int64_t max_context = 0;  // Longest sequence; the table goes on past it in a straight line.
};

// A decode step is a base by sequences and, for each number of sequences, straight pieces of
// the sum of contexts. A mixed step adds a base by tokens and pieces of the attended area. Within
// a few percent of the step model, exact at its nodes.
sim::StepTable make_step_table(const StepModel& model, const Constants& constants, double pace,
                               const StepTableLimits& limits);

}  // namespace loadfactor::serving
