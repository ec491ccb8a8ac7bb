// When counters of tokens were looked at. Between two looks that are far apart beside the usual
// ones nothing says when tokens came, or whether a counter was started anew meanwhile.
#pragma once

#include <map>
#include <vector>

#include "observe/window/grid.h"

namespace loadfactor::observe {

class TokenLooks {
 public:
  // Two looks, one after the other.
  void add(double from, double to, const Grid& grid);
  void add(const TokenLooks& other);
  // Slots that lie between two looks at the usual distance, and those in a gap between them.
  struct Slots {
    std::vector<bool> told, gaps;
  };
  Slots slots(const Grid& grid) const;

 private:
  struct Look {
    double from = 0;
    double to = 0;
  };
  // The longest distance between two looks that is no gap.
  double longest_usual() const;

  std::map<long, int> distances_;  // How often two looks are so many seconds apart.
  std::vector<bool> near_;         // Slots between two looks that are never a gap;
  std::vector<Look> far_;          // those that may be one.
};

}  // namespace loadfactor::observe
