// The words and estimates of a training answer.
#pragma once

#include "loadfactor/train.h"
#include "resolve/train/train_layout.h"

namespace loadfactor::engine {

// Model, layout, memory; where it fits the step, its parts and the reasons it is not shorter.
TrainAnswer describe_training(const TrainSetup& setup, const ChosenLayout& chosen);

// The three largest losses against all chips at their dense peak, in words.
std::vector<StepLoss> reasons_not_faster(const ChosenLayout& chosen, Seconds ideal);

// The events of one step on every pipeline stage.
void add_trace(const TrainSetup& setup, const ChosenLayout& chosen, TrainAnswer& answer);

}  // namespace loadfactor::engine
