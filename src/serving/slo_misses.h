// What share of the requests misses its promise, by how many of them one replica gets.
//
// A promise such as "95 of 100 within 40 ms, over the week" is not broken by a busy hour: quiet
// hours make up for it. So what counts is how many miss at each rate, summed over the week, and
// not whether any window is beyond the rate at which just 5 of 100 miss.
#pragma once

#include <memory>
#include <vector>

#include "loadfactor/quantity.h"

namespace loadfactor::serving {

// Shares of the requests that miss the bound of the first token and of each next, at one rate.
struct MissSample {
  Hertz rate;  // Requests of one replica.
  double first = 0;
  double each = 0;
};

// The most that may miss each bound; 1: no bound.
struct AllowedMisses {
  double first = 1;
  double each = 1;
};

class MissCurve {
 public:
  MissCurve() = default;  // Nothing is known.
  // Between samples the logarithm is straight; below the first as there, and from `full` on all
  // miss both. A busier replica is never better.
  MissCurve(std::vector<MissSample> samples, Hertz full);

  bool empty() const { return points_ == nullptr; }
  MissSample at(Hertz rate) const;
  // The curve of a replica that is so many times as fast.
  MissCurve stretched(double by) const;

 private:
  std::shared_ptr<const std::vector<MissSample>> points_;  // Samples at equal steps from 0 on.
  Hertz step_;
};

}  // namespace loadfactor::serving
