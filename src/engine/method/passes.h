// How long models read what was written: one pass over each prompt with its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/core.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// What is read, by which model, on how many GPUs.
struct ReadingTask {
  config::ModelSection model;
  config::Given<std::string> precision;  // Blank: as the checkpoint is stored.
  std::vector<ModelFile> model_files;
  double texts = 0;   // In a step.
  double tokens = 0;  // In each text, in the mean.
  int gpus = 1;
  bool scores_tokens = false;  // How likely each token is; else one vector or score of each text.
};

// False, and why at its place, where a model is none that reads texts of so many tokens, or is to
// teach without writing text.
bool can_read(const Core& core, const config::Scenario& scenario, const ReadingTask& task,
              bool teaches, Diagnostics& diagnostics);

// Entries of the model's vocabulary; 0 where it is not known.
std::int64_t vocabulary_of(const Core& core, const config::Scenario& scenario,
                           const ReadingTask& task);

struct ReadingTime {
  EstimateOf<Seconds> time;
  int gpus_each = 1;  // GPUs of one copy,
  Bytes weights;      // and what the fullest of them holds of it.
};

// Texts over what as many copies as fit on the GPUs read when they are never idle; the time is that
// of `serve` with `tokens_out: 1` and, where tokens are scored, of the head for all but the last
// token. Nothing, and the reasons, where not one copy fits.
std::optional<ReadingTime> read_texts(const Core& core, const config::Scenario& scenario,
                                      const ReadingTask& task, Diagnostics& diagnostics);

}  // namespace loadfactor::engine
