// What a step may take beside its prediction because nobody says how a host's bus is built.
#pragma once

#include "loadfactor/train.h"
#include "resolve/train/train_layout.h"

namespace loadfactor::engine {

// Logarithms of factors on the rate; 0 where links join all that meet, or the node says its bus.
struct BusDoubt {
  double slower = 0;  // On a bus that keeps as little as the slowest box that was measured.
  double faster = 0;  // With the bridges that pairs of such cards may have.
};

BusDoubt doubt_of_bus(const TrainSetup& setup, const ChosenLayout& chosen);

// Says the doubt where it matters.
void note_bus(const TrainSetup& setup, const BusDoubt& doubt, TrainAnswer& answer);

}  // namespace loadfactor::engine
