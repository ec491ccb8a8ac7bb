// The trainer's part of a step: the same answer as `train` gives for text of these lengths.
#pragma once

#include <optional>

#include "engine/core.h"
#include "engine/method/method.h"
#include "engine/method/shares.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/search.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// Texts of one step.
struct Lessons {
  std::int64_t texts = 0;
  std::int64_t tokens = 1;            // In each text, in the mean.
  std::int64_t longest = 1;           // Tokens that one micro-batch must hold.
  std::optional<std::int64_t> steps;  // In the whole run.
};

// The scenario that `train` answers with the same step: no method, texts of the mean length; where
// some are longer, as many in a micro-batch as the longest has tokens.
config::Scenario learning_scenario(const config::Scenario& scenario, const Lessons& lessons,
                                   int gpus);

// How the trainer's layout is found.
struct LearningInputs {
  TrainerLayouts layouts = TrainerLayouts::kUsualElseAll;
  const SearchInputs* search = nullptr;  // How all layouts are looked at; else as usual.
  std::vector<ModelFile> model_files;
  LayoutCounts* counts = nullptr;
};
// Nothing, and the reasons, where no layout is legal; one that does not fit is an answer.
std::optional<TrainAnswer> learn(const Core& core, const config::Scenario& scenario,
                                 const LearningInputs& inputs, Diagnostics& diagnostics);

// Weights, gradients and optimizer state on the fullest GPU.
Bytes state_of(const TrainAnswer& answer);

}  // namespace loadfactor::engine
