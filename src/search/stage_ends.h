// Which lengths of the first and of the last pipeline stage a search tries.
#pragma once

#include <vector>

#include "loadfactor/scenario.h"

namespace loadfactor::search {

// Layers of the first and of the last stage; 0: by the rule of training/stage_split.h.
struct Ends {
  int first = 0;
  int last = 0;

  friend bool operator==(const Ends&, const Ends&) = default;
};

// All that are legal for a pipeline of `pp` stages with `vp` chunks per rank, and differ from what
// the rule gives. The stages between them hold equally many layers, as few as can be or one more
// (per chunk); the ends share what is then missing in every way, each with a layer at least. What
// `asked` says of the ends is kept, whatever that leaves between; where it says one alone, the
// other holds as many as those between.
std::vector<Ends> stage_ends(int layers, int pp, int vp, const config::Layout& asked);

}  // namespace loadfactor::search
