// Stages of a run that follow the first, each in the layout that is quickest for it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "loadfactor/train.h"
#include "resolve/train/train_setup.h"
#include "search/layout_search.h"

namespace loadfactor::engine {

struct LaterStages {
  std::vector<RunStage> stages;
  Seconds work;                      // Time of all their steps.
  std::optional<std::size_t> unfit;  // Which of them fits in no layout.
};

// On the GPUs, with the software and in the formats of a machine. Degrees and micro-batches that
// the scenario writes are those of the first stage; the others choose their own.
LaterStages later_stages(const TrainSetup& setup, const search::SearchScene& machine,
                         const search::SearchOptions& options);

// Makes tokens and duration those of all stages, before what failures take.
void add_stages(const LaterStages& later, TrainAnswer& answer);

}  // namespace loadfactor::engine
