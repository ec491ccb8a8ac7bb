// Where the time between a prediction and a measurement went.
//
// For each term, and for the terms of one group together, the question is how likely the
// measurements would be were it alone off, and how likely were nothing off but their scatter. How
// much the measurements scatter is not known and is averaged over. Steps of different layouts and
// sizes weigh the terms differently, so a few of them name the culprit; steps of one layout leave
// it open, and the answer says so.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/site/site_terms.h"

namespace loadfactor::calibrate {

// A term that may be off, and the group it is told as one of.
struct GapTerm {
  std::string name;
  double width = 0.1;  // Prior deviation of its factor's logarithm; 0: it holds still.
  std::string group;
};

struct GapShare {
  std::string term;
  std::string group;
  double likelihood = 0;  // Chance that it is off, alone or with its group; all sum to at most 1.
  double factor = 1;      // The factor it would need.
  double seconds = 0;     // Its part of the mean gap.
  double share = 0;       // `seconds` over the gap, from 0 to 1; all together at most 1.
};

// The terms of one group together.
struct GapGroup {
  std::string name;
  double likelihood = 0;
  double seconds = 0;
  double share = 0;
};

// A term that has so small a part in every step that no step can show it.
struct UnseenTerm {
  std::string term;
  double largest = 0;  // Its largest share of any step.
};

// One kind of figure: the mean of those measured.
struct GapFigure {
  std::string name;
  int count = 0;
  double predicted = 0;  // Seconds.
  double measured = 0;
  std::vector<GapGroup> groups;  // Largest first.
  std::vector<GapShare> shares;  // Largest first.
  double unexplained = 0;        // Seconds that no term takes.

  double gap() const { return measured - predicted; }
};

struct GapAnswer {
  std::vector<GapFigure> figures;  // Ordered by first measurement; empty if none.
  std::vector<UnseenTerm> unseen;  // Terms too small to show in any figure.
  int layouts = 0;                 // Steps of one figure whose terms have different shares.
  double nothing = 0;              // Likelihood that no term is off.
  bool settled = false;  // Layouts differ, and one group is nine times likelier than the next.
  std::string next;      // What to measure where it is not settled.

  // Whether nothing but scatter is likelier than any group.
  bool within_scatter() const;
};

// `kinds` names the figure that each observation is one of; empty: all are steps.
GapAnswer attribute_gap(std::span<const GapTerm> terms,
                        std::span<const SiteObservation> observations,
                        std::span<const std::string> kinds = {});

}  // namespace loadfactor::calibrate
