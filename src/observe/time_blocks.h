// A window in blocks of an hour or more: over so long a time means say how full somebody is.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "observe/cluster.h"

namespace loadfactor::observe {

struct TimeBlocks {
  int slots = 60;  // Slots of each; the last may be shorter.
  int count = 1;

  explicit TimeBlocks(const Grid& grid) {
    constexpr int kMostBlocks = 336;
    const int all = grid.slots();
    slots = std::max({1, static_cast<int>(std::lround(kHour.base() / grid.step)),
                      (all + kMostBlocks - 1) / kMostBlocks});
    count = (all + slots - 1) / slots;
  }
  int of(int slot) const { return slot / slots; }
};

}  // namespace loadfactor::observe
