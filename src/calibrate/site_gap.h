// Where the time between a prediction and a measurement went.
//
// For each term the question is how likely the measurements would be were that term alone off.
// Steps of different layouts and sizes weigh the terms differently, so a few of them name the
// culprit; one step alone leaves it open, and the answer says so.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/site_terms.h"

namespace loadfactor::calibrate {

struct GapShare {
  std::string term;
  double likelihood = 0;  // That this term alone explains the steps; they sum to at most 1.
  double factor = 1;      // It would need.
  double seconds = 0;     // Of the mean gap that goes to it.
  double share = 0;       // The same, of the gap.
};

struct GapAnswer {
  double predicted = 0;  // Mean seconds of a step.
  double measured = 0;
  std::vector<GapShare> shares;  // Largest first.
  double unexplained = 0;        // Seconds that no term takes.
  bool settled = false;          // One term is at least nine times likelier than the next.
  std::string next;              // What to measure when it is not settled.

  double gap() const { return measured - predicted; }
};

GapAnswer attribute_gap(std::span<const TermPrior> priors,
                        std::span<const SiteObservation> observations);

}  // namespace loadfactor::calibrate
