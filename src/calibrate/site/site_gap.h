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
  double width = 0.1;  // Of the logarithm of its factor, before measuring; 0: it holds still.
  std::string group;
};

struct GapShare {
  std::string term;
  std::string group;
  double likelihood = 0;  // That it is off, alone or with its group; all sum to at most 1.
  double factor = 1;      // It would need.
  double seconds = 0;     // Of the mean gap that goes to it.
  double share = 0;       // The same, of the gap: from 0 to 1, all together at most 1.
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
  double largest = 0;  // Share of a step.
};

// One kind of figure: the mean of those measured.
struct GapFigure {
  std::string name;
  int count = 0;
  double predicted = 0;  // Seconds.
  double measured = 0;
  std::vector<GapGroup> groups;  // Largest first, as are
  std::vector<GapShare> shares;
  double unexplained = 0;  // Seconds that no term takes.

  double gap() const { return measured - predicted; }
};

struct GapAnswer {
  std::vector<GapFigure> figures;  // In the order of their first measurement; empty if none.
  std::vector<UnseenTerm> unseen;  // Of no figure more than a trace.
  int layouts = 0;                 // Of one figure, those whose terms have different shares.
  double nothing = 0;              // Likelihood that no term is off.
  bool settled = false;  // Of several layouts, one group is nine times likelier than the next.
  std::string next;      // What to measure when it is not settled.

  // Whether nothing but scatter is likelier than any group.
  bool within_scatter() const;
};

// `kinds` names the figure that each observation is one of; empty: all are steps.
GapAnswer attribute_gap(std::span<const GapTerm> terms,
                        std::span<const SiteObservation> observations,
                        std::span<const std::string> kinds = {});

}  // namespace loadfactor::calibrate
