// Numbers of GPUs that a curve shows and that a search looks at where they are open.
#pragma once

#include <vector>

#include "loadfactor/search.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {

inline constexpr int kMostGpus = 16384;        // Where nobody says; more have hardly been built.
inline constexpr std::size_t kCurveSizes = 8;  // Doublings of a curve.

// A power of two below which the weights are in no memory.
int fewest_that_hold(const TrainSetup& setup);

// Doubling sizes up to `most`, largest first, none below `fewest`: halves of it, and powers of two
// below the first that is odd.
std::vector<int> halved_sizes(int most, int fewest);

// Rising sizes of a curve.
std::vector<int> curve_sizes(const TrainSetup& setup);

// Whether fewer GPUs than the limit may be better: a search that weighs money or energy, or that a
// budget or a deadline binds.
bool weighs_sizes(const TrainSetup& setup, Objective objective);

// Sizes of a search for time alone within a limit, largest first: fleets of a quarter and less are
// never the quickest.
std::vector<int> quickest_sizes(const TrainSetup& setup);

// Sizes of a search that weighs them, largest first; `fewest` holds the weights on some candidate.
std::vector<int> weighed_sizes(const TrainSetup& setup, int fewest);

}  // namespace loadfactor::engine
