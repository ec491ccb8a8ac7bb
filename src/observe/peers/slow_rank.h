// Ranks of a training run, or its nodes, that take longer for the same steps than the others.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "observe/peers/low_values.h"

namespace loadfactor::observe {

// What one of them took, by the number of the step.
struct RankTimes {
  std::string name;
  std::map<std::int64_t, double> seconds;
};

struct SlowRank {
  std::size_t rank = 0;  // Into those that were given.
  double ratio = 1;      // Its pace over the middle one of its peers.
  double excess = 0;     // Seconds that it takes longer for a step than the middle one.
  double statistic = 0;  // Student's t of the logarithm of the ratio against those not slow.
  double probability = 1;
};

struct RankTest {
  std::vector<SlowRank> found;  // Slowest first.
  int tested = 0;               // Ranks with peers.
};

// Every rank against the others of its step: those that are slow in a few steps, as where one of
// them writes a checkpoint, are not named.
RankTest find_slow_ranks(std::span<const RankTimes> ranks, const LowTest& rules);

}  // namespace loadfactor::observe
