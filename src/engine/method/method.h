// Post-training: answers that an engine writes, models that read them, a trainer that learns.
//
// A step is made of phases. Rollouts come from the simulator, passes of models that read from the
// closed form of `serve`, learning from `train`, the way of new weights to the engine from the
// collectives. See docs/models/post-training.md.
#pragma once

#include <optional>
#include <vector>

#include "engine/core.h"
#include "loadfactor/result.h"
#include "loadfactor/search.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// Whether a run is made of phases, so that `train` alone does not answer for it.
bool has_phases(const config::Scenario& scenario);

// Layouts of the trainer that were looked at, on every share of the GPUs.
struct LayoutCounts {
  std::int64_t legal = 0;
  std::int64_t evaluated = 0;
};

struct MethodInputs {
  TrainInputs train;
  std::vector<ModelFile> reward_files;  // Where the scenario says `reward: {model: {config: …}}`,
  std::vector<ModelFile> teacher_files;  // and the same of the teacher
  std::vector<ModelFile> value_files;    // and of the value model.
  const SearchInputs* search = nullptr;  // Opens every layout of the trainer; else the usual few.
  LayoutCounts* counts = nullptr;        // Where to count what the search looks at.
  std::uint64_t seed = 1;
};

// The trainer's answer with its `method` set. Nothing, and the reasons, where the scenario has
// errors or no share of the GPUs works.
std::optional<TrainAnswer> train_by_method(const Core& core, const MethodInputs& inputs,
                                           Diagnostics& diagnostics);

}  // namespace loadfactor::engine
