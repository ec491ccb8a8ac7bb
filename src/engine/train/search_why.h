// Why a plan is not the best: its step beside that of the best, part by part.
#pragma once

#include "engine/train/search_machines.h"
#include "loadfactor/search.h"
#include "training/step/step_time.h"

namespace loadfactor::engine {

// `best` and `other` may have different machines; times are compared per token.
LayoutReasons why_not(const ChosenLayout& best, const ChosenLayout& other);

// What the best does about each of its dimensions.
LayoutReasons why_best(const ChosenLayout& best);

// Accelerators that share scale-up links, as the job is placed.
int domain_of(const training::TrainingJob& job);

// Share of the step that is communication not hidden: tensor, context, expert, sharding, data
// and pipeline traffic.
double communication_share(const training::StepTime& time);

}  // namespace loadfactor::engine
