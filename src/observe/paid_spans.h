// The paid time of a GPU, cut where slots end and where jobs begin and end.
#pragma once

#include <vector>

#include "observe/cluster.h"

namespace loadfactor::observe {

// A slot, or the part of one that one owner holds.
struct Span {
  int slot = 0;
  OwnerIndex owner = kNoOwner;
  double from = 0;  // Seconds since 1970.
  double seconds = 0;
};

std::vector<Span> paid_spans(const GpuTrack& gpu, const Grid& grid);

// What of a span lies in the last hour of the window, as a share of it.
double share_of_last_hour(const Span& span, const Grid& grid);

}  // namespace loadfactor::observe
